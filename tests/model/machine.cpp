#include "model/machine.hpp"

#include <bfc/core/validator.hpp>

#include <algorithm>

namespace bfc::model {
namespace {

std::string text(std::uint64_t n) {
  return std::to_string(n);
}
std::string text(status s) {
  return std::string(name(s));
}

/// What exactness allows a plain request under deferred merging, given the blocks as they were:
/// an unmerged block of exactly the size; if there is none, the best fit among the holes, unless an
/// unmerged block would have been a better one. Everything may be merged first instead, but not to
/// pass an unmerged block of the exact size by.
struct rule_two {
  bool exact_unmerged = false;  ///< An unmerged block has exactly the size.
  bool allowed = false;         ///< `offset` is such a place.
};

rule_two places_as_they_are(const core::snapshot& state, const core::request& what,
                            std::uint64_t size, std::uint64_t offset) {
  rule_two answer;
  if (what.place != core::placement::low || what.alignment > state.unit_bytes) return answer;
  std::uint64_t best_unmerged = UINT64_MAX;
  for (const core::index_entry& e : state.unmerged) {
    if (e.size_bytes >= size) best_unmerged = std::min(best_unmerged, e.size_bytes);
    if (e.size_bytes == size) {
      answer.exact_unmerged = true;
      answer.allowed = answer.allowed || e.offset == offset;
    }
  }
  if (answer.exact_unmerged) return answer;
  const auto fits = [&](const core::index_entry& e) { return e.size_bytes >= size; };
  const auto hole = std::find_if(state.hole_index.begin(), state.hole_index.end(), fits);
  answer.allowed =
      hole != state.hole_index.end() && hole->offset == offset && hole->size_bytes <= best_unmerged;
  return answer;
}

}  // namespace

machine::machine(const core::heap_options& setup, std::uint64_t inspect_every)
    : heap_(setup),
      oracle_(setup.capacity_bytes, setup.unit_bytes),
      inspect_every_(inspect_every),
      until_inspection_(inspect_every),
      policy_(setup.policy),
      before_(heap_.take_snapshot()) {}

disagreement machine::apply(const step& s) {
  if (disagreement d = carry_out(s)) return d;
  if (disagreement d = compare_counters()) return d;
  if (--until_inspection_ > 0) return std::nullopt;
  until_inspection_ = inspect_every_;
  return inspect();
}

disagreement machine::carry_out(const step& s) {
  const bool needs_block = s.kind == step_kind::release ||
                           s.kind == step_kind::release_with_marks || s.kind == step_kind::expand ||
                           s.kind == step_kind::shrink;
  if (needs_block && live_.empty()) return std::nullopt;
  switch (s.kind) {
    case step_kind::allocate:
      return allocate(s);
    case step_kind::release:
      return release(s.nth % live_.size(), core::mark_set::none);
    case step_kind::release_with_marks:
      return release(s.nth % live_.size(), core::mark_set{s.marks});
    case step_kind::settle:
      heap_.settle(core::mark_set{s.marks});
      oracle_.settle(core::mark_set{s.marks});
      return std::nullopt;
    case step_kind::expand:
      return expand(s);
    case step_kind::shrink:
      return shrink(s);
    case step_kind::coalesce:
      heap_.coalesce();
      return std::nullopt;
    case step_kind::bad_release:
      return misuse(s);
    case step_kind::largest:
      return largest(s.alignment);
  }
  return std::nullopt;
}

disagreement machine::allocate(const step& s) {
  core::request what;
  what.bytes = s.bytes;
  what.alignment = s.alignment;
  what.place = s.place;
  what.tag = core::tag_id{s.tag};
  what.sequence = ++sequence_;
  const verdict due = oracle_.judge(what);
  core::placed got;
  // Every other plain request takes the short way in.
  if (what.place == core::placement::low && what.alignment == 0 && sequence_ % 2 == 0) {
    got.code = heap_.allocate_plain(what.bytes, what.tag, what.sequence, got);
  } else {
    got = heap_.allocate(what);
  }
  if (due.code != status::ok) {
    if (got.code == due.code) return std::nullopt;
    return "allocate answered " + text(got.code) + ", due is " + text(due.code);
  }
  if (got.code != status::ok) {
    return "allocate answered " + text(got.code) + " although offset " + text(due.offset) +
           " could host the request";
  }
  if (got.size_bytes != due.size_bytes) {
    return "allocate gave " + text(got.size_bytes) + " bytes, due are " + text(due.size_bytes);
  }
  if (disagreement d = check_place(what, due, got.offset)) return d;
  oracle_.take(got.offset, what);
  live_.push_back(got.offset);
  return std::nullopt;
}

disagreement machine::check_place(const core::request& what, const verdict& due,
                                  std::uint64_t offset) {
  if (!oracle_.is_usable(offset, due.size_bytes)) {
    return "allocate gave offset " + text(offset) + ", which overlaps taken memory or the end";
  }
  const std::uint64_t alignment = std::max<std::uint64_t>(what.alignment, heap_.unit_bytes());
  if (offset % alignment != 0) return "allocate gave unaligned offset " + text(offset);
  rule_two as_they_are;
  if (policy_ != core::coalescing::immediate) {
    if (inspect_every_ != 1) return std::nullopt;  // the blocks before the request are not known
    as_they_are = places_as_they_are(before_, what, due.size_bytes, offset);
    if (as_they_are.allowed) return std::nullopt;
  }
  if (!as_they_are.exact_unmerged && offset == due.offset) return std::nullopt;
  return "allocate gave offset " + text(offset) + ", exact best fit over holes is " +
         text(due.offset) +
         (as_they_are.exact_unmerged ? "; an unmerged block had exactly the size" : "");
}

disagreement machine::release(std::size_t nth, core::mark_set marks) {
  const std::uint64_t offset = live_[nth];
  const taken due = oracle_.at(offset);
  const std::uint64_t wrong = due.requested_bytes + (sequence_ % 3) - 1;
  if (wrong != due.requested_bytes) {
    const status refused = heap_.release(offset, marks, wrong).code;
    if (refused != status::wrong_size) {
      return "release with a wrong size answered " + text(refused) + " at " + text(offset);
    }
  }
  const std::uint64_t told = sequence_ % 2 == 0 ? core::any_size : due.requested_bytes;
  for (const bool releasing : {false, true}) {
    const core::live_block got =
        releasing ? heap_.release(offset, marks, told) : heap_.find_live(offset);
    const std::string who = releasing ? "release" : "find_live";
    if (got.code != status::ok) {
      return who + " answered " + text(got.code) + " for the live block at " + text(offset);
    }
    if (got.size_bytes != due.size_bytes || got.requested_bytes != due.requested_bytes ||
        got.tag != due.tag) {
      return who + " tells another size or tag than was given, at " + text(offset);
    }
  }
  oracle_.release(offset, marks);
  freed_last_ = offset;
  live_[nth] = live_.back();
  live_.pop_back();
  return std::nullopt;
}

disagreement machine::expand(const step& s) {
  const std::uint64_t offset = live_[s.nth % live_.size()];
  const std::uint64_t now = oracle_.at(offset).requested_bytes;
  const std::uint64_t bytes = s.bytes > UINT64_MAX - now ? UINT64_MAX : now + s.bytes;
  const status got = heap_.try_expand(offset, bytes);
  const status due = oracle_.expand(offset, bytes);
  if (got == due) return std::nullopt;
  return "try_expand of " + text(offset) + " to " + text(bytes) + " answered " + text(got) +
         ", due is " + text(due);
}

disagreement machine::shrink(const step& s) {
  const std::uint64_t offset = live_[s.nth % live_.size()];
  // 2^53 bytes at most, so a factor up to 2047 cannot wrap.
  const std::uint64_t bytes = oracle_.at(offset).requested_bytes * (s.bytes % 2048) / 1000;
  const status got = heap_.shrink(offset, bytes, core::mark_set{s.marks});
  const status due = oracle_.shrink(offset, bytes, core::mark_set{s.marks});
  if (got == due) return std::nullopt;
  return "shrink of " + text(offset) + " to " + text(bytes) + " answered " + text(got) +
         ", due is " + text(due);
}

disagreement machine::misuse(const step& s) {
  std::uint64_t offset = freed_last_;
  switch (s.aim) {
    case bad_offset::foreign:
      offset = s.bytes > UINT64_MAX - oracle_.capacity_bytes() ? UINT64_MAX
                                                               : oracle_.capacity_bytes() + s.bytes;
      break;
    case bad_offset::interior: {
      if (live_.empty()) return std::nullopt;
      offset = live_[s.nth % live_.size()];
      offset += 1 + s.bytes % (oracle_.at(offset).size_bytes - 1);
      break;
    }
    case bad_offset::free:
      offset = oracle_.nth_free_offset(s.nth);
      break;
    case bad_offset::freed:
      break;
  }
  const status due = oracle_.classify(offset);
  if (due == status::ok) return std::nullopt;  // issued again: then it is no misuse
  const status got[] = {heap_.find_live(offset).code, heap_.release(offset).code,
                        heap_.try_expand(offset, 1), heap_.shrink(offset, 1)};
  const char* who[] = {"find_live", "release", "try_expand", "shrink"};
  for (std::size_t i = 0; i < 4; ++i) {
    if (got[i] == due) continue;
    return std::string(who[i]) + " of bad offset " + text(offset) + " answered " + text(got[i]) +
           ", due is " + text(due);
  }
  return std::nullopt;
}

disagreement machine::largest(std::uint64_t alignment) {
  if ((alignment & (alignment - 1)) != 0) return std::nullopt;
  const std::uint64_t got = heap_.largest_available(alignment);
  const std::uint64_t due = oracle_.largest_available(alignment);
  if (got == due) return std::nullopt;
  return "largest_available(" + text(alignment) + ") answered " + text(got) + ", due is " +
         text(due);
}

disagreement machine::compare_counters() const {
  const core::heap_counters& c = heap_.counters();
  const auto differs = [](const char* what, std::uint64_t got, std::uint64_t due) -> disagreement {
    if (got == due) return std::nullopt;
    return std::string(what) + " is " + text(got) + ", due is " + text(due);
  };
  if (auto d = differs("live_bytes", c.live_bytes, oracle_.live_bytes())) return d;
  if (auto d =
          differs("live_requested_bytes", c.live_requested_bytes, oracle_.live_requested_bytes())) {
    return d;
  }
  if (auto d = differs("live_blocks", c.live_blocks, oracle_.live_blocks())) return d;
  if (auto d = differs("allocations", c.allocations, oracle_.allocations())) return d;
  if (auto d = differs("allocated_bytes", c.allocated_bytes, oracle_.allocated_bytes())) return d;
  if (auto d = differs("allocated_requested_bytes", c.allocated_requested_bytes,
                       oracle_.allocated_requested_bytes())) {
    return d;
  }
  if (auto d = differs("footprint_bytes", c.footprint_bytes, oracle_.footprint_bytes())) return d;
  return differs("free_bytes", heap_.free_bytes(), oracle_.capacity_bytes() - oracle_.live_bytes());
}

disagreement machine::inspect() {
  before_ = heap_.take_snapshot();
  for (const core::violation& v : core::validate(before_)) {
    return "invariant " + text(static_cast<std::uint64_t>(v.invariant)) + ": " + v.text;
  }
  if (stretches_of(before_) != oracle_.stretches()) {
    return "the snapshot's live blocks or marks differ from the oracle's";
  }
  return largest(0);
}

disagreement machine::finish() {
  if (disagreement d = inspect()) return d;
  for (std::uint64_t alignment = 1; alignment != 0; alignment <<= 1) {
    if (disagreement d = largest(alignment)) return d;
  }
  while (!live_.empty()) {
    if (disagreement d = release(live_.size() / 2, core::mark_set{1})) return d;
  }
  for (std::uint32_t marks = 1; marks <= 4; ++marks) {
    heap_.settle(core::mark_set{marks});
    oracle_.settle(core::mark_set{marks});
  }
  heap_.coalesce();
  if (disagreement d = inspect()) return d;
  if (before_.blocks.size() != 1 || before_.blocks[0].size_bytes != oracle_.capacity_bytes()) {
    return "after freeing everything there are " + text(before_.blocks.size()) + " blocks";
  }
  return allocate(model::allocate(oracle_.capacity_bytes()));
}

std::optional<failure> run(const program& p, std::uint64_t inspect_every) {
  machine m(p.setup, inspect_every);
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    if (disagreement d = m.apply(p.steps[i])) return failure{i, *d};
  }
  if (disagreement d = m.finish()) return failure{p.steps.size(), *d};
  return std::nullopt;
}

}  // namespace bfc::model
