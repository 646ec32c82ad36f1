/** Works with dynamic programs such as Node, and not with nats-server. */
export const clockLibrary = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'

/** The environment of a program whose clock is wrong by so many seconds. Its timers stay right. */
export const wrongClock = (seconds: number): NodeJS.ProcessEnv =>
  seconds === 0
    ? {}
    : {
        LD_PRELOAD: clockLibrary,
        FAKETIME: `${seconds > 0 ? '+' : ''}${seconds}s`,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }
