// The lock of the interned tag names, for fork. Private to allocator.
#pragma once

namespace bfc {

void lock_tag_names();
void unlock_tag_names();

}  // namespace bfc
