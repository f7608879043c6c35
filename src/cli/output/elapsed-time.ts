import type { Terminal } from '../terminal.ts'
import { CLEAR_LINE, withProgress } from './progress.ts'

/**
 * Shows on a terminal what a command does and for how long, if it takes longer than a second. What the command prints comes
 * before that line, and a command that shows progress of its own replaces it.
 */
export async function withElapsedTime(
  title: string,
  terminal: Terminal,
  run: (terminal: Terminal) => Promise<number>,
): Promise<number> {
  const { screen } = terminal
  if (!screen?.isTTY) return await run(terminal)
  let [isOver, isDrawn] = [false, false]
  const write = (text: string) => {
    if (isOver) return
    isDrawn = text !== CLEAR_LINE
    screen.write(text)
  }
  const clear = () => {
    if (isDrawn) screen.write(CLEAR_LINE)
    isDrawn = false
  }
  const shown: Terminal = {
    ...terminal,
    print: (text) => {
      clear()
      terminal.print(text)
    },
    remark: (text) => {
      clear()
      terminal.remark(text)
    },
    screen: {
      isTTY: true,
      get columns() {
        return screen.columns
      },
      write: (text) => {
        clear()
        isOver = true
        screen.write(text)
      },
    },
  }
  // Without a step, a line of progress is first drawn after a second.
  const own = { isTTY: true, columns: screen.columns ?? 0, write }
  return await withProgress(title, { screen: own }, () =>
    run(shown).finally(() => {
      clear()
      isOver = true
    }),
  )
}
