/** One path per icon, on a grid of 16 by 16. */
const paths = {
  back: 'M10 3 5 8l5 5',
  check: 'm3 8.5 3.2 3.2L13 5',
  chevron: 'm6 4 4 4-4 4',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  down: 'M8 3v10m-4-4 4 4 4-4',
  key: 'M10 9a3.500 3.500 0 1 0-3-1.700L2.500 12v2h2.500v-1.500h1.500V11l1.700-1.700M10.500 5.500h.01',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5v9l7.5-4.5z',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14',
  link: 'M6.5 9.5l3-3M7 4.5 8.5 3a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5 7.500 13A3.2 3.200 0 0 1 3 8.500L4.500 7',
  fork: 'M5 5.500v5M5 5.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Zm0 5a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3Zm6-5a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Zm0 0C11 8.500 5 7.500 5 10.500',
  rewind: 'M3 3v3.500h3.500M3.300 6.300A5.200 5.200 0 1 1 3 9.500',
  file: 'M4 1.500h5l3 3v10h-8zM9 1.500v3h3M6 8h4M6 10.500h4',
  image: 'M2.500 3.500h11v9h-11zM5.500 7h.01M3 11.500l3.500-3 2.500 2 2-1.500 2.500 2.500',
  loop: 'M12.500 6A5 5 0 0 0 3.500 5M3.500 10a5 5 0 0 0 9 1M3.500 2.500V5H6M12.500 13.500V11H10',
  chart: 'M2.500 13.500h11M4.500 11V8M8 11V4M11.500 11V6',
  send: 'M8 13V3M3.500 7.500 8 3l4.500 4.500',
  stop: 'M4 4h8v8H4z',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm0-9.500V8l2.500 1.500',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.500H3zM6.800 14.500h2.400',
} as const

/** A small icon. Screen readers skip it, so it needs a label beside it. */
export const Icon = ({ name }: { name: keyof typeof paths }) => (
  <svg className={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
)
