#include "tag_names.hpp"
#include "thread_context.hpp"
#include <bfc/allocator/tag.hpp>

#include <atomic>
#include <deque>
#include <map>
#include <mutex>

namespace bfc {

namespace {

std::atomic<std::uint32_t> count{1};

struct tag_names {
  std::mutex mutex;
  std::map<std::string, core::tag_id, std::less<>> ids;
  std::deque<std::string> names{""};  ///< By id.
};

/// Never destroyed: a tag_scope may end, and a report be written, while statics are going away.
tag_names& names() {
  static auto* const all = new tag_names;
  return *all;
}

}  // namespace

std::uint32_t tag_count() noexcept {
  return count.load(std::memory_order_acquire);
}

void lock_tag_names() {
  names().mutex.lock();
}
void unlock_tag_names() {
  names().mutex.unlock();
}

core::tag_id intern_tag(std::string_view name) {
  if (name.empty()) return core::tag_id::none;
  tag_names& all = names();
  const std::lock_guard guard(all.mutex);
  if (const auto known = all.ids.find(name); known != all.ids.end()) return known->second;
  const auto id = static_cast<core::tag_id>(all.names.size());
  all.names.emplace_back(name);
  all.ids.emplace(name, id);
  count.store(static_cast<std::uint32_t>(all.names.size()), std::memory_order_release);
  return id;
}

std::string tag_name(core::tag_id id) {
  tag_names& all = names();
  const std::lock_guard guard(all.mutex);
  const auto at = static_cast<std::size_t>(id);
  return at < all.names.size() ? all.names[at] : "";
}

core::tag_id current_tag() noexcept {
  return this_thread_context().tag;
}

tag_scope::tag_scope(core::tag_id id) noexcept : outer_(this_thread_context().tag) {
  this_thread_context().tag = id;
}

tag_scope::~tag_scope() {
  this_thread_context().tag = outer_;
}

}  // namespace bfc
