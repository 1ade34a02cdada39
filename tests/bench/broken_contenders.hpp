// Contenders that answer wrongly, each in one way.
#pragma once

#include "contenders/contenders.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace bfc::bench {

/// What each of the wrong contenders starts from: a bump pointer that starts anew when everything
/// has been freed, so that it lasts for any number of passes over a small trace.
class bump {
 public:
  explicit bump(const setup& how) : unit_(how.unit_bytes), capacity_(how.capacity_bytes) {}
  std::uint64_t allocate(std::uint64_t bytes) noexcept {
    const std::uint64_t offset = next_;
    const std::uint64_t size = (bytes + unit_ - 1) / unit_ * unit_;
    if (offset + size > capacity_) return refused;
    next_ += size;
    ++live_;
    return offset;
  }
  bool deallocate(std::uint64_t) noexcept {
    if (--live_ == 0) next_ = 0;
    return true;
  }
  std::uint64_t base() noexcept { return 0; }

 protected:
  std::uint64_t unit_;
  std::uint64_t capacity_;
  std::uint64_t next_ = 0;
  std::uint64_t live_ = 0;
};

/// Hands the same memory out twice.
class broken_overlap : public bump {
 public:
  using bump::bump;
  std::uint64_t allocate(std::uint64_t bytes) noexcept {
    const std::uint64_t offset = bump::allocate(bytes);
    next_ = offset + unit_;
    return offset;
  }
};

class broken_alignment : public bump {
 public:
  using bump::bump;
  std::uint64_t allocate(std::uint64_t bytes) noexcept { return bump::allocate(bytes + unit_) + 1; }
  bool deallocate(std::uint64_t where) noexcept { return bump::deallocate(where - 1); }
};

class broken_capacity : public bump {
 public:
  using bump::bump;
  std::uint64_t allocate(std::uint64_t bytes) noexcept { return bump::allocate(bytes) + capacity_; }
};

class broken_refusal : public bump {
 public:
  using bump::bump;
  std::uint64_t allocate(std::uint64_t bytes) noexcept {
    return ++count_ == 5 ? refused : bump::allocate(bytes);
  }

 private:
  int count_ = 0;
};

class broken_free : public bump {
 public:
  using bump::bump;
  bool deallocate(std::uint64_t where) noexcept { return bump::deallocate(where) && ++count_ != 3; }

 private:
  int count_ = 0;
};

/// Never gets its first byte back.
class broken_leak : public bump {
 public:
  using bump::bump;
  bool deallocate(std::uint64_t) noexcept {
    if (--live_ == 0) next_ = unit_;
    return true;
  }
};

/// Asks the heap for memory in every operation.
class broken_heap {
 public:
  explicit broken_heap(const setup& how) : unit_(how.unit_bytes) {}
  std::uint64_t allocate(std::uint64_t bytes) noexcept {
    kept_ = std::make_unique<std::uint64_t>(next_);
    next_ += (bytes + unit_ - 1) / unit_ * unit_;
    return *kept_;
  }
  bool deallocate(std::uint64_t) noexcept { return true; }
  std::uint64_t base() noexcept { return 0; }

 private:
  std::uint64_t unit_;
  std::uint64_t next_ = 0;
  std::unique_ptr<std::uint64_t> kept_;
};

/// Gives every block of a thread the same memory as its neighbour's second half.
class broken_threads {
 public:
  explicit broken_threads(const setup& how) : unit_(how.unit_bytes) {}
  std::uint64_t allocate(std::uint64_t) noexcept { return unit_ * next_++; }
  bool deallocate(std::uint64_t) noexcept { return true; }
  std::uint64_t base() noexcept { return 0; }

 private:
  std::uint64_t unit_;
  std::atomic<std::uint64_t> next_{0};
};

/// The real contenders and all of the above.
inline std::vector<contender_entry> with_broken_ones() {
  std::vector<contender_entry> all = all_contenders();
  all.push_back({"broken-overlap", maker<broken_overlap>(), true, false, false});
  all.push_back({"broken-alignment", maker<broken_alignment>(), true, false, false});
  all.push_back({"broken-capacity", maker<broken_capacity>(), true, false, false});
  all.push_back({"broken-refusal", maker<broken_refusal>(), true, false, false});
  all.push_back({"broken-free", maker<broken_free>(), true, false, false});
  all.push_back({"broken-leak", maker<broken_leak>(), true, false, false});
  all.push_back({"broken-placement", maker<bump>(), true, true, false});
  all.push_back({"broken-threads", maker<broken_threads>(), false, false, false});
  all.push_back({"broken-heap", maker<broken_heap>(), false, false, true});
  return all;
}

}  // namespace bfc::bench
