import { boxOf } from '../../results/box-of.ts'
import { type ReadWord, readGoogle } from '../../vendors/google/reading.ts'
import { adapter } from '../../feature.ts'
import ocrAsync from './feature.ts'

const NO_BOX = { left: 0, top: 0, width: 0, height: 0 }

export default adapter(ocrAsync, async (task, tools) => {
  const { readings, texts, pages } = await readGoogle(tools, task.files.file!, undefined, task.params)
  const output = {
    raw_text: texts.join('\n').trimEnd(),
    pages: pages.map((words) => ({ lines: linesOf(words) })),
    number_of_pages: pages.length,
  }
  return { output, original: readings, units: pages.length }
})

/** Google reports words and line breaks, but not lines. */
function linesOf(words: ReadWord[]) {
  const lines: ReadWord[][] = [[]]
  for (const word of words) {
    lines.at(-1)!.push(word)
    if (word.endsLine) lines.push([])
  }
  return lines.filter((line) => line.length > 0).map(toLine)
}

function toLine(words: ReadWord[]) {
  const corners = words.flatMap(({ box }) => {
    return box
      ? [
          { x: box.left, y: box.top },
          { x: box.left + box.width, y: box.top + box.height },
        ]
      : []
  })
  return {
    text: words.map(({ text }) => text).join(' '),
    words: words.map(({ text, box, confidence }) => ({ text, bounding_box: box ?? NO_BOX, confidence })),
    bounding_box: boxOf(corners),
    confidence: null,
  }
}
