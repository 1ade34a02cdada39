// A first block: reserve once, allocate, use, give back.
#include <bfc/allocator/allocator.hpp>
#include <bfc/base/units.hpp>
#include <bfc/source/host_source.hpp>

#include <cstdio>
#include <cstring>

int main() {
  bfc::options options;
  options.capacity_bytes = 256 * bfc::MiB;
  bfc::allocator allocator(bfc::make_host_source(), options);

  const std::size_t bytes = 10 * bfc::MiB;
  void* const block = allocator.allocate(bytes);
  std::memset(block, 0, bytes);
  std::printf("largest request that would fit now: %s\n",
              bfc::format_size(allocator.largest_available()).c_str());

  if (allocator.deallocate(block) != bfc::status::ok) return 1;
  std::printf("after giving it back:               %s\n",
              bfc::format_size(allocator.largest_available()).c_str());
  return allocator.close() == 0 ? 0 : 1;
}
