/// The exception bfc throws where a status cannot be returned: construction, files, flags.
/// Hot paths never throw it. Layer: base.
#pragma once

#include <bfc/base/status.hpp>

#include <stdexcept>
#include <string>

namespace bfc {

/// Carries a status and one line of text that names the input, the rule and the remedy.
class error : public std::runtime_error {
 public:
  error(status code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] status code() const noexcept { return code_; }

 private:
  status code_;
};

}  // namespace bfc
