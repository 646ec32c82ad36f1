// An agent that prints many lines when it gets a prompt. Every server runs this same program, in the
// protocol that the server speaks.
//
//   agent <pi | acp> <first lines> <per second> <pause in ms> <lines> <per second>
//
// The first lines are for warming up and carry no time. 0 per second means as fast as possible. Every
// line is one write of 200 bytes.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE 200

static const char text[] =
    "the quick brown fox jumps over the lazy dog and then it reads the whole file again, as it has "
    "done before, and finds that nothing in it has changed since the last time it was read";

static long long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void wait_until(long long at) {
  struct timespec time = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
}

static void write_all(const char *line, long length) {
  while (length > 0) {
    long written = write(1, line, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) exit(1);
    line += written;
    length -= written;
  }
}

static void print_line(const char *line) {
  write_all(line, strlen(line));
}

// Prints a line with a time near its start, filled up with text.
static void print_timed(int is_pi, const char *time) {
  char line[LINE + 1];
  const char *head = is_pi ? "{\"type\":\"thinking_level_changed\",\"level\":\"%s "
                           : "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{"
                             "\"_meta\":{\"at\":\"%s\"},\"update\":{\"text\":\"";
  const char *tail = is_pi ? "\"}\n" : "\"}}}\n";
  int used = snprintf(line, sizeof line, head, time), end = strlen(tail);
  memcpy(line + used, text, LINE - used - end);
  memcpy(line + LINE - end, tail, end);
  write_all(line, LINE);
}

static void print_many(int is_pi, long count, long per_second, int is_timed) {
  char time[32] = "t";
  long long began = now_ns();
  for (long i = 0; i < count; i++) {
    if (per_second > 0) wait_until(began + i * 1000000000LL / per_second);
    if (is_timed) snprintf(time, sizeof time, "t%lld", now_ns());
    print_timed(is_pi, time);
  }
}

// The value of `"id":` in a command, unparsed.
static const char *id_in(const char *line, int *length) {
  const char *id = strstr(line, "\"id\":");
  if (!id) return NULL;
  *length = strcspn(id + 5, ",}");
  return id + 5;
}

static void respond(int is_pi, const char *line, const char *command) {
  char reply[1024];
  int length;
  const char *id = id_in(line, &length);
  if (!id) return;
  snprintf(reply, sizeof reply,
           is_pi ? "{\"type\":\"response\",\"id\":%.*s,\"command\":\"%s\",\"success\":true,"
                   "\"data\":{\"sessionId\":\"one\"}}\n"
                 : "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"protocolVersion\":1,"
                   "\"agentCapabilities\":{}}}\n",
           length, id, command);
  print_line(reply);
}

int main(int argc, char **argv) {
  if (argc < 7) return 2;
  int is_pi = strcmp(argv[1], "pi") == 0;
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    int is_prompt = strstr(line, is_pi ? "\"type\":\"prompt\"" : "\"session/prompt\"") != NULL;
    respond(is_pi, line, is_prompt ? "prompt" : "get_state");
    if (!is_prompt) continue;
    if (is_pi) print_line("{\"type\":\"agent_start\"}\n");
    print_many(is_pi, atol(argv[2]), atol(argv[3]), 0);
    wait_until(now_ns() + atol(argv[4]) * 1000000LL);
    print_many(is_pi, atol(argv[5]), atol(argv[6]), 1);
    if (is_pi) print_line("{\"type\":\"agent_settled\"}\n");
  }
  return 0;
}
