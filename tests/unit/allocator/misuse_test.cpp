#include "support/pools.hpp"
#include <bfc/base/error.hpp>

#include <memory>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

namespace {

using namespace bfc;

bool names(const std::string& text, const std::string& part) {
  CAPTURE(text, part);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("explain tells a live block by its start, its size and any pointer into it") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* wall = pool->allocate(256);
  void* p = pool->allocate(1000);
  const pointer_report at_start = pool->explain(p);
  CHECK(at_start.code == status::ok);
  CHECK(at_start.block_offset == 256);
  CHECK(at_start.block_bytes == 1000);
  const pointer_report inside = pool->explain(test::as_bytes(p) + 300);
  CHECK(inside.code == status::interior_pointer);
  CHECK(inside.block_offset == 256);
  CHECK(inside.block_bytes == 1000);
  CHECK(names(inside.text, "inside"));
  CHECK(names(inside.text, "256"));
  CHECK(names(inside.text, "1000"));
  CHECK(inside.text.find('\n') == std::string::npos);
  CHECK(pool->deallocate(p) == status::ok);
  CHECK(pool->deallocate(wall) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("explain tells where and by whom a block was freed first") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* p = pool->allocate(1000);                                        // event 1
  std::thread other([&] { CHECK(pool->deallocate(p) == status::ok); });  // event 2
  other.join();
  void* unrelated = pool->allocate(64, {.place = core::placement::high});  // event 3
  CHECK(pool->deallocate(p) == status::double_free);
  const pointer_report r = pool->explain(p);
  CHECK(r.code == status::double_free);
  CHECK(r.freed_by_event == 2);
  const history past = pool->recent_events();
  REQUIRE(past.events.size() == 3);
  CHECK(past.events[1].kind == event_kind::deallocate);
  CHECK(r.freed_by_thread == past.events[1].thread);
  CHECK(past.events[0].thread != past.events[1].thread);
  CHECK(names(r.text, "freed"));
  CHECK(names(r.text, "2"));
  CHECK(pool->deallocate(unrelated) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a double free becomes not_allocated once the history has forgotten it") {
  options how = test::small_options(64 * KiB);
  how.history_events = 16;
  const auto pool = test::simulated_pool(how);
  void* p = pool->allocate(1000);
  CHECK(pool->deallocate(p) == status::ok);
  CHECK(pool->deallocate(p) == status::double_free);
  for (int i = 0; i < 32; ++i) {
    CHECK(pool->deallocate(pool->allocate(64, {.place = core::placement::high})) == status::ok);
  }
  CHECK(pool->deallocate(p) == status::not_allocated);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("without a history a second free is refused as not_allocated") {
  options how = test::small_options(64 * KiB);
  how.history_events = 0;
  const auto pool = test::simulated_pool(how);
  void* p = pool->allocate(1000);
  CHECK(pool->deallocate(p) == status::ok);
  CHECK(pool->deallocate(p) == status::not_allocated);
  CHECK(pool->recent_events().events.empty());
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("an address freed and issued again is a live block, not a double free") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* p = pool->allocate(1000);
  CHECK(pool->deallocate(p) == status::ok);
  CHECK(pool->allocate(1000) == p);
  CHECK(pool->explain(p).code == status::ok);
  CHECK(pool->deallocate(p) == status::ok);
  CHECK(pool->deallocate(p) == status::double_free);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("memory never handed out, or inside a freed block, is not_allocated") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* p = pool->allocate(1024);
  CHECK(pool->deallocate(test::as_bytes(p) + 8192) == status::not_allocated);
  CHECK(pool->explain(test::as_bytes(p) + 8192).code == status::not_allocated);
  CHECK(pool->deallocate(p) == status::ok);
  CHECK(pool->deallocate(test::as_bytes(p) + 256) == status::not_allocated);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("a block of another pool is told from a foreign pointer") {
  auto first = test::simulated_pool(test::small_options(64 * KiB));
  const auto second = test::simulated_pool(test::small_options(64 * KiB));
  void* p = first->allocate(256);
  int foreign = 0;
  CHECK(second->deallocate(p) == status::wrong_pool);
  CHECK(second->deallocate(p, 256) == status::wrong_pool);
  CHECK(second->explain(p).code == status::wrong_pool);
  CHECK(second->deallocate(&foreign) == status::foreign_pointer);
  CHECK(second->explain(&foreign).code == status::foreign_pointer);
  CHECK_FALSE(second->explain(&foreign).text.empty());
  CHECK(first->size_of(p) == 256);
  CHECK(first->deallocate(p) == status::ok);
  first.reset();
  CHECK(second->deallocate(p) == status::foreign_pointer);  // its pool is gone
  CHECK(second->statistics().rejected_count == 4);
}

TEST_CASE("every refused call is counted and none is an event") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* p = pool->allocate(256);
  int foreign = 0;
  const auto events_before = pool->statistics().event_count;
  CHECK(pool->deallocate(&foreign) != status::ok);
  CHECK(pool->deallocate(p, 1) != status::ok);
  CHECK(pool->deallocate(test::as_bytes(p) + 1) != status::ok);
  CHECK(pool->statistics().rejected_count == 3);
  CHECK(pool->statistics().event_count == events_before);
  CHECK(pool->deallocate(p) == status::ok);
  test::check_all_space_is_one_block(*pool);
}

TEST_CASE("close is idempotent, counts what was still live, and ends every call with closed") {
  const auto pool = test::simulated_pool(test::small_options(64 * KiB));
  void* leaked = pool->allocate(256);
  void* also_leaked = pool->allocate(256);
  CHECK(pool->deallocate(pool->allocate(512)) == status::ok);
  CHECK(pool->close() == 2);
  CHECK(pool->close() == 0);  // nothing more to tell
  CHECK(pool->try_allocate(1).code == status::closed);
  const batch_request wanted[] = {{256, {}}};
  void* given[1] = {};
  CHECK(pool->try_allocate_batch(wanted, given) == status::closed);
  try {
    static_cast<void>(pool->allocate(1));
    FAIL_CHECK("a closed pool served a request");
  } catch (const error& e) {
    CHECK(e.code() == status::closed);
  }
  CHECK(pool->deallocate(leaked) == status::closed);
  CHECK(pool->deallocate(also_leaked, 256) == status::closed);
  void* const batch[] = {leaked};
  CHECK(pool->deallocate_batch(batch) == status::closed);
  CHECK(pool->try_expand(leaked, 512) == status::closed);
  CHECK(pool->shrink(leaked, 1) == status::closed);
  CHECK(pool->size_of(leaked) == 0);
  CHECK(pool->largest_available() == 0);
  CHECK(pool->reservation_of(leaked).code == status::closed);
  CHECK(pool->explain(leaked).code == status::closed);
  pool->coalesce();
  static_cast<void>(pool->statistics());
  static_cast<void>(pool->recent_events());
}

TEST_CASE("a closed pool has returned its reservation, once") {
  class counting_source : public source {
   public:
    explicit counting_source(int& releases)
        : inner_(make_simulated_source()), releases_(releases) {}
    std::string_view name() const noexcept override { return inner_->name(); }
    int device() const noexcept override { return inner_->device(); }
    bool host_accessible() const noexcept override { return false; }
    bool survives_fork() const noexcept override { return inner_->survives_fork(); }
    std::size_t available_bytes() noexcept override { return inner_->available_bytes(); }
    range_result reserve(std::size_t bytes, std::size_t alignment) noexcept override {
      return inner_->reserve(bytes, alignment);
    }
    status release(memory_range range) noexcept override {
      ++releases_;
      return inner_->release(range);
    }
    std::uint64_t driver_calls() const noexcept override { return inner_->driver_calls(); }

   private:
    std::unique_ptr<source> inner_;
    int& releases_;
  };
  int releases = 0;
  {
    allocator pool(std::make_unique<counting_source>(releases), test::small_options(64 * KiB));
    CHECK(pool.deallocate(pool.allocate(1)) == status::ok);
    CHECK(pool.driver_calls_after_start() == 0);
    SECTION("by close") {
      CHECK(pool.close() == 0);
      CHECK(releases == 1);
    }
    SECTION("by its destructor") {
      CHECK(releases == 0);
    }
  }
  CHECK(releases == 1);
}
