#include <bfc/base/checked.hpp>
#include <bfc/source/source.hpp>

#include <algorithm>

namespace bfc {

backoff_result reserve_with_backoff(source& from, std::size_t wanted, std::size_t least,
                                    std::size_t granule, std::size_t alignment) noexcept {
  if (!is_power_of_two(granule) || !is_power_of_two(alignment)) {
    return {status::invalid_alignment, {}, 0};
  }
  // Every size tried is a multiple of the granule in [least, wanted], and no empty one.
  const auto lowest = checked_align_up(std::max<std::size_t>(least, 1), granule);
  std::size_t bytes = align_down(wanted, granule);
  if (!lowest || bytes < *lowest) return {status::invalid_size, {}, 0};

  backoff_result result;
  while (true) {
    const range_result answer = from.reserve(bytes, alignment);
    ++result.attempts;
    result.code = answer.code;
    result.range = answer.range;
    if (answer.code != status::out_of_memory || bytes == *lowest) return result;
    // Nine tenths rounded down to the granule can be no step at all for a few granules, so the
    // step is at least one granule: the sizes fall strictly and the loop ends.
    const std::size_t nine_tenths = align_down(bytes - bytes / 10, granule);
    bytes = std::max<std::size_t>(std::min(nine_tenths, bytes - granule), *lowest);
  }
}

}  // namespace bfc
