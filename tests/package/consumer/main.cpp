// Takes memory from an installed bfc and gives it back; 0 when all went well.
#include <bfc/allocator/allocator.hpp>
#include <bfc/base/version.hpp>
#include <bfc/cuda/select.hpp>
#include <bfc/source/host_source.hpp>

#include <cstdio>
#include <cstring>

int main() {
  bfc::options options;
  options.capacity_bytes = 64 << 20;
  bfc::allocator allocator(bfc::make_host_source(), options);
  void* const block = allocator.allocate(1 << 20);
  std::memset(block, 1, 1 << 20);
  const bfc::status freed = allocator.deallocate(block);
  const bfc::cuda::selected_source selected = bfc::cuda::select_source("host");
  std::printf("bfc %d.%d.%d: %s\n", bfc::version.major, bfc::version.minor, bfc::version.patch,
              selected.reason.c_str());
  return freed == bfc::status::ok && allocator.close() == 0 ? 0 : 1;
}
