import { printable } from './printable.ts'
import { SECOND_MS, MINUTE_SECONDS } from '../../base/units/units.ts'

// How far long work is, in one line at the bottom of a terminal. Where there is no terminal, nothing is written at all.

/** A terminal, such as process.stderr. */
export type Screen = { isTTY?: boolean; columns?: number; write(text: string): unknown }

type Progress = {
  /** `done` of `total` is done. Without a total, only what is being done is shown, and for how long. */
  at(done: number, total?: number): void
  /** What is being done now. */
  step(text: string): void
}

type ProgressOptions = {
  screen?: Screen | undefined
  /** How an amount is written, such as `12.5 MB`. */
  format?: (amount: number) => string
  /** Milliseconds on a clock that does not jump. */
  clock?: () => number
}

const DRAW_MS = 100
/** An estimate from less than this is a guess. */
const ESTIMATE_AFTER_MS = 1_000
export const CLEAR_LINE = '\r\u001b[2K'
const DEFAULT_COLUMNS = 80

/** Shows the progress of some work while it runs, and removes the line when the work ends or fails. */
export async function withProgress<T>(
  title: string,
  options: ProgressOptions,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const line = new ProgressLine(title, options)
  try {
    return await work(line)
  } finally {
    line.end()
  }
}

class ProgressLine implements Progress {
  readonly #title: string
  readonly #screen: Screen | undefined
  readonly #format: (amount: number) => string
  readonly #clock: () => number
  readonly #startedAt: number
  readonly #timer: NodeJS.Timeout | undefined
  #drawnAt = Number.NEGATIVE_INFINITY
  #done = 0
  #total: number | undefined
  #step = ''

  constructor(title: string, { screen, format = String, clock = () => performance.now() }: ProgressOptions) {
    this.#title = title
    this.#screen = screen?.isTTY ? screen : undefined
    this.#format = format
    this.#clock = clock
    this.#startedAt = clock()
    // The time goes on although nothing else happens.
    if (this.#screen) this.#timer = setInterval(() => this.#draw(), SECOND_MS).unref()
  }

  readonly at = (done: number, total?: number): void => {
    this.#done = done
    this.#total = total
    this.#drawSoon()
  }

  readonly step = (text: string): void => {
    this.#step = text
    this.#drawSoon()
  }

  end(): void {
    clearInterval(this.#timer)
    if (this.#drawnAt !== Number.NEGATIVE_INFINITY) this.#screen?.write(CLEAR_LINE)
  }

  #drawSoon(): void {
    if (this.#screen && this.#clock() - this.#drawnAt >= DRAW_MS) this.#draw()
  }

  #draw(): void {
    this.#drawnAt = this.#clock()
    const width = (this.#screen?.columns || DEFAULT_COLUMNS) - 1
    const title = printable(this.#title)
    const far = this.#farText()
    const step = shortened(printable(this.#step), width - title.length - SEPARATOR.length - far.length)
    const line = [title, step].filter(Boolean).join(SEPARATOR) + far
    this.#screen?.write(CLEAR_LINE + line.slice(0, width))
  }

  /** How far it is, which stays on the line however long the words before it are. */
  #farText(): string {
    const elapsedMs = this.#drawnAt - this.#startedAt
    if (!this.#total) return `, ${durationText(elapsedMs)}`
    const share = Math.min(1, this.#done / this.#total)
    const amounts = `${this.#format(this.#done)} of ${this.#format(this.#total)}`
    return `: ${barOf(share)} ${Math.floor(share * 100)}% (${amounts})${leftText(share, elapsedMs)}`
  }
}

const SEPARATOR = ': '
const SHORTENED = '…'

function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  return most <= SHORTENED.length ? '' : text.slice(0, most - SHORTENED.length) + SHORTENED
}

const BAR_CHARS = 20

/** In characters that every terminal and every font has. */
function barOf(share: number): string {
  const done = Math.floor(share * BAR_CHARS)
  return `[${'#'.repeat(done)}${'.'.repeat(BAR_CHARS - done)}]`
}

function leftText(share: number, elapsedMs: number): string {
  if (share === 0 || share === 1 || elapsedMs < ESTIMATE_AFTER_MS) return ''
  return `, ${durationText((elapsedMs * (1 - share)) / share)} left`
}

function durationText(ms: number): string {
  const seconds = Math.ceil(ms / SECOND_MS)
  if (seconds < 2 * MINUTE_SECONDS) return `${seconds} s`
  return `${Math.ceil(seconds / MINUTE_SECONDS)} min`
}
