// The least work that a server can do: one send(2) per connection for each batch of events, on one
// thread that does nothing else.
//
//   floor <connections> <events> <per turn> <warm up> <window> <per second, 0 for no pause>
//
// prints "port <n>" and starts when it reads a line "go" on stdin. The lines "at <id>" on stdin say
// what has arrived; it stays within the window of that. At the end it prints "done <figures as JSON>".
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static long arrived = -1;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/** Reads the lines on stdin. Waits for them at most `wait_ms`; -1 waits until one comes. */
static void read_stdin(int wait_ms) {
  static char text[4096];
  static int used;
  struct pollfd input = {.fd = 0, .events = POLLIN};
  if (poll(&input, 1, wait_ms) <= 0) return;
  int got = read(0, text + used, sizeof text - used - 1);
  if (got <= 0) fail("stdin");
  used += got;
  text[used] = 0;
  char *line = text, *feed;
  while ((feed = strchr(line, '\n'))) {
    if (strncmp(line, "go", 2) == 0) arrived = 0;
    else if (strncmp(line, "at ", 3) == 0) arrived = atol(line + 3);
    line = feed + 1;
  }
  used = text + used - line;
  memmove(text, line, used);
}

static double cpu_ms(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
         (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

static long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void send_all(int fd, const char *bytes, int length) {
  while (length > 0) {
    int sent = send(fd, bytes, length, MSG_NOSIGNAL);
    if (sent < 0) fail("send");
    bytes += sent;
    length -= sent;
  }
}

static int frame(char *into, long id) {
  static const char words[] =
      "the quick brown fox jumps over the lazy dog and then it reads the whole file again";
  return sprintf(into,
                 "id: %ld\ndata: {\"type\":\"message_update\",\"messageId\":\"t%ld\","
                 "\"assistantMessageEvent\":{\"type\":\"text_delta\",\"contentIndex\":0,"
                 "\"delta\":\"%.20s\"},\"sessionId\":\"s\",\"seq\":%ld,"
                 "\"timestamp\":1760000000000}\n\n",
                 id, now_ns(), words + id % 40, id);
}

int main(int argc, char **argv) {
  if (argc < 7) return 2;
  int count = atoi(argv[1]);
  long events = atol(argv[2]), per_turn = atol(argv[3]), warm_up = atol(argv[4]);
  long window = atol(argv[5]);
  double per_second = atof(argv[6]);

  int server = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  struct sockaddr_in here = {.sin_family = AF_INET};
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  if (bind(server, (struct sockaddr *)&here, size) < 0 || listen(server, 4096) < 0) fail("listen");
  getsockname(server, (struct sockaddr *)&here, &size);
  printf("port %d\n", ntohs(here.sin_port));
  fflush(stdout);

  static const char head[] =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: \n\n";
  int *sockets = calloc(count, sizeof *sockets);
  for (int i = 0; i < count; i++) {
    char request[1024];
    sockets[i] = accept(server, NULL, NULL);
    if (sockets[i] < 0 || read(sockets[i], request, sizeof request) <= 0) fail("accept");
    setsockopt(sockets[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    send_all(sockets[i], head, sizeof head - 1);
  }
  while (arrived < 0) read_stdin(-1);

  char *batch = malloc(per_turn * 512);
  double before = cpu_ms();
  long next_at = now_ns();
  for (long id = 1; id <= events;) {
    if (id > warm_up && id - per_turn <= warm_up) {
      while (arrived < id - 1 && arrived < warm_up) read_stdin(-1);
      before = cpu_ms();
    }
    int length = 0;
    for (long i = 0; i < per_turn && id <= events; i++) length += frame(batch + length, id++);
    for (int i = 0; i < count; i++) send_all(sockets[i], batch, length);
    read_stdin(0);
    while (id - arrived > window) read_stdin(-1);
    if (per_second > 0) {
      next_at += 1e9 / per_second * per_turn;
      struct timespec until = {next_at / 1000000000L, next_at % 1000000000L};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
  }
  while (arrived < events) read_stdin(-1);
  printf("done {\"cpuMs\":%.3f}\n", cpu_ms() - before);
  fflush(stdout);
  return 0;
}
