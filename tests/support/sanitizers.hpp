/// Whether this build is instrumented, so that tests can do less of the same.
#pragma once

namespace bfc::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool instrumented = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool instrumented = true;
#else
inline constexpr bool instrumented = false;
#endif
#else
inline constexpr bool instrumented = false;
#endif

/// `often` in an ordinary build, a fifth of it in an instrumented one.
constexpr unsigned scaled(unsigned often) {
  return instrumented ? often / 5 : often;
}

}  // namespace bfc::test
