import Type, { type Static } from '../../../../base/schema/type.ts'
import { nullable } from '../../../../base/schema/fields.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { adapter } from '../../feature.ts'
import { namedLanguage } from '../../fields/language.ts'
import spellCheck from './feature.ts'

// https://cloud.prowritingaid.com/analysis/swagger. A text is one request, however long. Positions are those of the first and
// the last character of a mistake.

const Offset = Type.Integer({ minimum: 0 })

const Tag = Type.Object({
  startPos: Offset,
  endPos: Offset,
  category: Type.String(),
  suggestions: nullable(Type.Array(Type.String()), 'The suggested text.'),
})

const Tags = Type.Object({ Tags: nullable(Type.Array(Tag), 'The mistakes.') })
const readReply = replyReader(Type.Object({ Result: nullable(Tags, 'Null while it is at work.') }))

export default adapter(spellCheck, async (task, tools) => {
  const { text } = task.input
  const language = namedLanguage(task.input.language) ?? 'en'
  const payload = jsonPayload({ language, style: 'General', reports: ['grammar'], ...task.params, text })
  const original = await askForJson(tools, { path: '/text', payload }, readReply)
  if (original.Result === null) throw new TaskFailure('timeout', 'the provider did not finish this text in time')
  const items = (original.Result.Tags ?? []).map((tag) => toItem(text, tag))
  return { output: { text, items }, original, units: 1 }
})

function toItem(text: string, { startPos, endPos, category, suggestions }: Static<typeof Tag>) {
  return {
    text: text.slice(startPos, endPos + 1),
    type: category,
    offset: startPos,
    length: Math.max(0, endPos + 1 - startPos),
    suggestions: (suggestions ?? []).map((suggestion) => ({ suggestion, score: null })),
  }
}
