/// Contract checks. Layer: base.
///
///   BFC_EXPECT  a caller's duty; always on; throws bfc::contract_violation.
///   BFC_ASSERT  our own logic; on in debug and audit builds; ends the process.
///
/// Switched-off checks are still compiled, so they cannot rot.
#pragma once

#include <stdexcept>
#include <string>

#ifndef BFC_AUDIT_ENABLED
#define BFC_AUDIT_ENABLED 0
#endif

namespace bfc {

class contract_violation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Whether this build checks its own logic (BFC_ASSERT).
#if defined(NDEBUG) && !BFC_AUDIT_ENABLED
inline constexpr bool assertions_enabled = false;
#else
inline constexpr bool assertions_enabled = true;
#endif

/// Whether this build validates the whole structure after every mutation.
inline constexpr bool audit_enabled = BFC_AUDIT_ENABLED != 0;

namespace detail {
[[noreturn]] void expectation_failed(const char* condition, const char* text, const char* file,
                                     int line);
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;
}  // namespace detail

}  // namespace bfc

#define BFC_EXPECT(condition, text) \
  ((condition) ? void(0) : ::bfc::detail::expectation_failed(#condition, text, __FILE__, __LINE__))

#define BFC_ASSERT(condition)                  \
  ((!::bfc::assertions_enabled || (condition)) \
       ? void(0)                               \
       : ::bfc::detail::assertion_failed(#condition, __FILE__, __LINE__))
