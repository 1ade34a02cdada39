/// The caller's scoped, nestable name for what memory is for. Layer: allocator.
#pragma once

#include <bfc/core/types.hpp>

#include <string>
#include <string_view>

namespace bfc {

/// Interns a name; the same text always gives the same id. Thread-safe. Ids are never reused.
/// The empty name is core::tag_id::none.
[[nodiscard]] core::tag_id intern_tag(std::string_view name);

/// The text of an interned id; "" for none.
[[nodiscard]] std::string tag_name(core::tag_id id);

/// The calling thread's innermost tag.
[[nodiscard]] core::tag_id current_tag() noexcept;

/// While it lives, the calling thread's requests carry this tag; the former one returns after it.
/// Scopes end in the reverse order of their beginning, on the thread that began them.
class tag_scope {
 public:
  explicit tag_scope(core::tag_id id) noexcept;
  explicit tag_scope(std::string_view name) : tag_scope(intern_tag(name)) {}
  ~tag_scope();
  tag_scope(const tag_scope&) = delete;
  tag_scope& operator=(const tag_scope&) = delete;

 private:
  core::tag_id outer_;
};

}  // namespace bfc
