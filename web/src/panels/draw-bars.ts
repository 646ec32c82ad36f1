import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

const height = 120

/** Draws a bar chart of the values, and returns a function that removes it. */
export const drawBars = (
  target: HTMLElement,
  values: readonly number[],
  format: (value: number) => string,
): (() => void) => {
  const style = getComputedStyle(target)
  const ink = style.getPropertyValue('--muted')
  const bars = uPlot.paths.bars
  const plot = new uPlot(
    {
      width: target.clientWidth,
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: [0.4, values.length + 0.6] }, y: { range: [0, null] } },
      axes: [
        {
          stroke: ink,
          grid: { show: false },
          ticks: { show: false },
          size: 24,
          incrs: [1, 2, 5, 10, 20, 50, 100, 500],
        },
        {
          stroke: ink,
          grid: { stroke: style.getPropertyValue('--line'), width: 1 },
          ticks: { show: false },
          size: 64,
          values: (_, splits) => splits.map(format),
        },
      ],
      series: [
        {},
        {
          fill: style.getPropertyValue('--accent'),
          stroke: style.getPropertyValue('--accent'),
          width: 0,
          points: { show: false },
          ...(bars && { paths: bars({ size: [0.7, 28] }) }),
        },
      ],
    },
    [values.map((_, index) => index + 1), [...values]],
    target,
  )
  const observer = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height }))
  observer.observe(target)
  return () => {
    observer.disconnect()
    plot.destroy()
  }
}
