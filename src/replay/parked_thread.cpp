#include <bfc/replay/parked_thread.hpp>

namespace bfc::replay {

parked_thread::parked_thread()
    : thread_([this] {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [this] { return over_; });
      }) {}

parked_thread::~parked_thread() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

}  // namespace bfc::replay
