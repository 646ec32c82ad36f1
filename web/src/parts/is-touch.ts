/** Whether fingers do the work: then a field that gets the focus covers half of the page. */
export const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches
