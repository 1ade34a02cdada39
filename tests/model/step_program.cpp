#include "model/step_program.hpp"

#include <array>
#include <sstream>

namespace bfc::model {

step allocate(std::uint64_t bytes, std::uint64_t alignment, core::placement place,
              std::uint32_t tag) {
  step s;
  s.kind = step_kind::allocate;
  s.bytes = bytes;
  s.alignment = alignment;
  s.place = place;
  s.tag = tag;
  return s;
}

step release(std::uint32_t nth) {
  step s;
  s.kind = step_kind::release;
  s.nth = nth;
  return s;
}

step release_with_marks(std::uint32_t nth, std::uint32_t marks) {
  step s;
  s.kind = step_kind::release_with_marks;
  s.nth = nth;
  s.marks = marks;
  return s;
}

step settle(std::uint32_t marks) {
  step s;
  s.kind = step_kind::settle;
  s.marks = marks;
  return s;
}

step expand(std::uint32_t nth, std::uint64_t more) {
  step s;
  s.kind = step_kind::expand;
  s.nth = nth;
  s.bytes = more;
  return s;
}

step shrink(std::uint32_t nth, std::uint64_t permille, std::uint32_t marks) {
  step s;
  s.kind = step_kind::shrink;
  s.nth = nth;
  s.bytes = permille;
  s.marks = marks;
  return s;
}

step coalesce() {
  return {};
}

step bad_release(bad_offset aim, std::uint32_t nth, std::uint64_t delta) {
  step s;
  s.kind = step_kind::bad_release;
  s.aim = aim;
  s.nth = nth;
  s.bytes = delta;
  return s;
}

step largest(std::uint64_t alignment) {
  step s;
  s.kind = step_kind::largest;
  s.alignment = alignment;
  return s;
}

namespace {

const char* text_of(bad_offset aim) {
  switch (aim) {
    case bad_offset::foreign:
      return "bad_offset::foreign";
    case bad_offset::interior:
      return "bad_offset::interior";
    case bad_offset::free:
      return "bad_offset::free";
    case bad_offset::freed:
      return "bad_offset::freed";
  }
  return "?";
}

const char* text_of(core::placement place) {
  return place == core::placement::low ? "placement::low" : "placement::high";
}

const char* text_of(core::coalescing policy) {
  switch (policy) {
    case core::coalescing::immediate:
      return "coalescing::immediate";
    case core::coalescing::threshold:
      return "coalescing::threshold";
    case core::coalescing::ratio:
      return "coalescing::ratio";
    case core::coalescing::on_failure:
      return "coalescing::on_failure";
  }
  return "?";
}

}  // namespace

std::string to_source(const step& s) {
  std::ostringstream out;
  switch (s.kind) {
    case step_kind::allocate:
      out << "allocate(" << s.bytes << "u";
      if (s.alignment != 0 || s.place != core::placement::low || s.tag != 0) {
        out << ", " << s.alignment << "u, " << text_of(s.place);
        if (s.tag != 0) out << ", " << s.tag;
      }
      out << ")";
      break;
    case step_kind::release:
      out << "release(" << s.nth << ")";
      break;
    case step_kind::release_with_marks:
      out << "release_with_marks(" << s.nth << ", " << s.marks << ")";
      break;
    case step_kind::settle:
      out << "settle(" << s.marks << ")";
      break;
    case step_kind::expand:
      out << "expand(" << s.nth << ", " << s.bytes << "u)";
      break;
    case step_kind::shrink:
      out << "shrink(" << s.nth << ", " << s.bytes << "u";
      if (s.marks != 0) out << ", " << s.marks;
      out << ")";
      break;
    case step_kind::coalesce:
      out << "coalesce()";
      break;
    case step_kind::bad_release:
      out << "bad_release(" << text_of(s.aim) << ", " << s.nth << ", " << s.bytes << "u)";
      break;
    case step_kind::largest:
      out << "largest(" << s.alignment << "u)";
      break;
  }
  return out.str();
}

std::string to_source(const program& p) {
  std::ostringstream out;
  out << "program p;\n"
      << "p.setup.capacity_bytes = " << p.setup.capacity_bytes << "u;\n"
      << "p.setup.unit_bytes = " << p.setup.unit_bytes << ";\n"
      << "p.setup.policy = " << text_of(p.setup.policy) << ";\n"
      << "p.setup.trigger.unmerged_limit_bytes = " << p.setup.trigger.unmerged_limit_bytes << "u;\n"
      << "p.setup.trigger.unmerged_limit_count = " << p.setup.trigger.unmerged_limit_count << ";\n"
      << "p.setup.trigger.ratio_limit = " << p.setup.trigger.ratio_limit << ";\n"
      << "p.setup.trigger.window_frees = " << p.setup.trigger.window_frees << ";\n"
      << "p.setup.expected_blocks = " << p.setup.expected_blocks << ";\n"
      << "p.steps = {\n";
  for (const step& s : p.steps) out << "    " << to_source(s) << ",\n";
  out << "};\n";
  return out.str();
}

namespace {

/// Reads numbers from bytes; zeros once they are used up.
class byte_reader {
 public:
  explicit byte_reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return next_ >= bytes_.size(); }

  std::uint8_t byte() { return at_end() ? std::uint8_t{0} : bytes_[next_++]; }

  /// Two or three bytes: a power of two, a little more, a little less, or some units below or
  /// above the capacity. Small programs reach every edge this way.
  std::uint64_t size(const core::heap_options& setup) {
    const std::uint8_t code = byte();
    const std::uint64_t power = std::uint64_t{1} << (code & 63);
    const std::uint64_t near = byte();
    switch (code >> 6) {
      case 0:
        return power + near;
      case 1:
        return power - near;  // wraps to sizes near 2^64
      case 2:
        return (near + 1) * setup.unit_bytes;
      default:
        return setup.capacity_bytes / ((code & 15) + 1u) + near -
               std::uint64_t{16} * (code >> 4 & 3);
    }
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
};

core::heap_options decode_setup(byte_reader& in) {
  core::heap_options setup;
  const std::uint8_t shape = in.byte();
  setup.policy = core::all_coalescing_policies[shape & 3];
  setup.unit_bytes = 1u << (4 + (shape >> 2) % 18);  // 16 B to 2 MiB
  const std::uint8_t units = in.byte();
  // Mostly small spaces, where everything touches everything; else powers of two less one.
  const std::uint64_t count =
      units < 220 ? units + 1u : (std::uint64_t{1} << (8 + (units - 220) % 25)) - 1;
  setup.capacity_bytes = count * setup.unit_bytes;
  setup.trigger.unmerged_limit_count = 1u + in.byte() % 64;
  setup.trigger.unmerged_limit_bytes = in.byte() * std::uint64_t{setup.unit_bytes};
  setup.trigger.window_frees = 1u + in.byte() % 64;
  setup.expected_blocks = in.byte();
  return setup;
}

step decode_step(byte_reader& in, const core::heap_options& setup) {
  const std::uint8_t op = in.byte();
  const std::uint8_t detail = op >> 4;
  switch (op & 15) {
    case 0:
    case 1:
    case 2:
      return allocate(in.size(setup));
    case 3:
    case 4: {
      // Aligned, from one unit upwards; detail's top bit places high.
      const std::uint64_t alignment = std::uint64_t{setup.unit_bytes} << (in.byte() % 20);
      return allocate(in.size(setup), alignment,
                      (detail & 8) != 0 ? core::placement::high : core::placement::low, detail);
    }
    case 5:
      return allocate(in.size(setup), 0, core::placement::high, detail);
    case 6:
      return allocate(in.size(setup), in.size(setup));  // mostly no power of two
    case 7:
    case 8:
    case 9:
      return release(in.byte());
    case 10:
      return release_with_marks(in.byte(), 1u + detail % 4);
    case 11:
      return settle(1u + detail % 4);
    case 12:
      return expand(in.byte(), in.size(setup));
    case 13: {
      const std::uint8_t nth = in.byte();
      return shrink(nth, in.byte() * std::uint64_t{4}, (detail & 8) != 0 ? 1U + detail % 4 : 0U);
    }
    case 14:
      if ((detail & 3) == 0) return largest(std::uint64_t{1} << (in.byte() & 63));
      return coalesce();
    default: {
      const std::array aims = {bad_offset::foreign, bad_offset::interior, bad_offset::free,
                               bad_offset::freed};
      const std::uint8_t nth = in.byte();
      return bad_release(aims[detail & 3u], nth, in.size(setup));
    }
  }
}

}  // namespace

program decode(std::span<const std::uint8_t> bytes) {
  byte_reader in(bytes);
  program p;
  p.setup = decode_setup(in);
  while (!in.at_end()) p.steps.push_back(decode_step(in, p.setup));
  return p;
}

}  // namespace bfc::model
