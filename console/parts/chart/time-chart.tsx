import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { bucketName } from '../format.ts'
import type { UsageSpan } from './usage-span.ts'
import { HOUR_MS } from '../../../src/base/units/units.ts'

/** `colour` is the name of a variable of the style. There is one value for each start of the span. */
export type Layer = { colour: string; values: readonly (number | null)[] }

type Props = {
  span: UsageSpan
  /** Drawn one over the other, so of a stack the highest comes first. */
  layers: readonly Layer[]
  format: (amount: number) => string
  /** What the chart shows, in a sentence. */
  sentence: string
  /** Called when a part of the time was selected by dragging. */
  onZoom: (from: string, to: string) => void
  /** Called when the pointer is over a bar, or leaves it. */
  onPoint?: (at: number | undefined) => void
}

const HEIGHT = 220
/** Above and at the sides of the drawing. The axes have their own places. */
const PADDING: uPlot.Padding = [8, 0, 0, 0]
const AXIS_FONT = '12px system-ui, sans-serif'

/** Bars over time. The numbers are in a table as well, for people who do not see the chart. */
export function TimeChart({ span, layers, format, sentence, onZoom, onPoint }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number>()
  useEffect(() => {
    const element = box.current!
    const point = (at: number | undefined) => {
      setPointed(at)
      onPoint?.(at)
    }
    const chart = new uPlot(optionsFor(element, { span, layers, format, onZoom, point }), dataOf(span, layers), element)
    const sizes = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    sizes.observe(element)
    const stop = onThemeChange(() => chart.redraw())
    return () => {
      stop()
      sizes.disconnect()
      chart.destroy()
    }
  }, [span, layers, format, onZoom, onPoint])
  return (
    <figure class="chart">
      <div ref={box} role="img" aria-label={sentence} />
      <figcaption>{pointed === undefined ? `${sentence} Drag to zoom.` : barText(pointed)}</figcaption>
    </figure>
  )

  function barText(at: number): string {
    const amount = layers[0]?.values[at] ?? 0
    return `${bucketName(span.starts[at]!, span.bucket)}: ${format(amount)}`
  }
}

/** uPlot counts in seconds. */
function dataOf({ starts }: UsageSpan, layers: Props['layers']): uPlot.AlignedData {
  return [starts.map((at) => at / 1000), ...layers.map(({ values }) => [...values])]
}

type Drawn = Pick<Props, 'span' | 'layers' | 'format' | 'onZoom'> & { point: (at: number | undefined) => void }

function optionsFor(box: HTMLElement, { span, layers, format, onZoom, point }: Drawn): uPlot.Options {
  const ink = (name: string) => () => colour(box, name)
  const length = (span.starts[1] ?? span.starts[0]! + HOUR_MS) - span.starts[0]!
  return {
    width: box.clientWidth,
    height: HEIGHT,
    padding: PADDING,
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    scales: {
      x: { range: () => [(span.starts[0]! - length / 2) / 1000, (span.starts.at(-1)! + length / 2) / 1000] },
      y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: axesFor(ink, span, format),
    series: [
      {},
      ...layers.map(({ colour: name }) => ({
        fill: ink(name),
        stroke: ink(name),
        width: 0,
        paths: uPlot.paths.bars!({ size: [0.75, 48] }),
        points: { show: false },
      })),
    ],
    hooks: { setSelect: [zoomer(onZoom)], setCursor: [({ cursor }) => point(cursor.idx ?? undefined)] },
  }
}

/** `Nov 11`, or `Nov 11, 14:00`: at 360 px some of them have to fit beside each other. */
const SPACES = { day: 56, hour: 110 }

type Ink = (name: string) => () => string

function axesFor(ink: Ink, { bucket }: UsageSpan, format: Props['format']): uPlot.Axis[] {
  const axis = {
    stroke: ink('--faint'),
    font: AXIS_FONT,
    grid: { stroke: ink('--line'), width: 1 },
    ticks: { show: false },
  }
  const times = (chart: uPlot, splits: number[]) =>
    splits.map((at) => {
      const text = bucketName(at * 1000, bucket)
      return fits(chart, at, text) ? text : ''
    })
  return [
    { ...axis, size: 30, space: SPACES[bucket], grid: { show: false }, values: times },
    { ...axis, size: widthOf, values: (_chart, splits) => splits.map((amount) => format(amount)) },
  ]
}

const GAP = 12

/** As wide as its longest label. Before the first drawing there is none. */
function widthOf(_chart: uPlot, labels: readonly string[] | null): number {
  return GAP + Math.ceil(Math.max(0, ...(labels ?? []).map(textWidth)))
}

/** A label that is cut at the end of the chart, or meets the lowest amount at its beginning, is left out. */
function fits(chart: uPlot, at: number, text: string): boolean {
  const half = textWidth(text) / 2
  const place = chart.valToPos(at, 'x')
  return place - half >= 0 && place + half <= chart.valToPos(chart.scales.x!.max!, 'x')
}

let pen: CanvasRenderingContext2D | undefined

function textWidth(text: string): number {
  pen ??= document.createElement('canvas').getContext('2d')!
  pen.font = AXIS_FONT
  return pen.measureText(text).width
}

function zoomer(onZoom: Props['onZoom']) {
  return (chart: uPlot) => {
    const { left, width } = chart.select
    if (width < 8) return
    const at = (position: number) => new Date(chart.posToVal(position, 'x') * 1000).toISOString()
    onZoom(at(left), at(left + width))
  }
}

/** A canvas does not know variables or `light-dark()`, so an element resolves the colour. */
function colour(box: HTMLElement, name: string): string {
  box.style.color = `var(${name})`
  const { color } = getComputedStyle(box)
  box.style.color = ''
  return color
}

/** Returns how to stop listening. */
function onThemeChange(redraw: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const chosen = new MutationObserver(redraw)
  system.addEventListener('change', redraw)
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => {
    system.removeEventListener('change', redraw)
    chosen.disconnect()
  }
}
