/// A second thread that does nothing. Layer: replay.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace bfc::replay {

/// glibc's mutexes skip their atomics in a process that never had a second thread; a timing taken
/// there flatters every lock. While one of these lives, the process has two.
class parked_thread {
 public:
  parked_thread();
  ~parked_thread();
  parked_thread(const parked_thread&) = delete;
  parked_thread& operator=(const parked_thread&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace bfc::replay
