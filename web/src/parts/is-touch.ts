/** Whether the device has a touch screen, where the keyboard of a focused field covers half the page. */
export const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches
