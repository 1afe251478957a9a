#include "library/fork_gate.hpp"

#include <pthread.h>

namespace kiln::backend::cpu {
namespace {

// Plain data, never destroyed: the gate must work until the process is gone, and in a child where no other thread is left.
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int inside = 0;
bool forking = false;

void before_fork() {
  pthread_mutex_lock(&mutex);
  while (forking) pthread_cond_wait(&changed, &mutex);
  forking = true;  // from here on nobody enters
  while (inside > 0) pthread_cond_wait(&changed, &mutex);
}

void after_fork_in_parent() {
  forking = false;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

void after_fork_in_child() {
  // Those who waited do not exist here.
  mutex = PTHREAD_MUTEX_INITIALIZER;
  changed = PTHREAD_COND_INITIALIZER;
  inside = 0;
  forking = false;
}

}  // namespace

ForkGate::ForkGate() {
  [[maybe_unused]] static const int registered = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  pthread_mutex_lock(&mutex);
  while (forking) pthread_cond_wait(&changed, &mutex);
  ++inside;
  pthread_mutex_unlock(&mutex);
}

ForkGate::~ForkGate() {
  pthread_mutex_lock(&mutex);
  if (--inside == 0) pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

}  // namespace kiln::backend::cpu
