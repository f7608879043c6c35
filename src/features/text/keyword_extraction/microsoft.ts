import Type from 'typebox'
import { billedCharacters } from '../../calls/billed-characters.ts'
import { languageOf, TEXT_RECORD, textAnalysis } from '../../calls/microsoft-language.ts'
import { adapter } from '../../feature.ts'
import keywords from './feature.ts'

// It says which words matter, most important first, and not how much.

const extract = textAnalysis('KeyPhraseExtraction', Type.Object({ keyPhrases: Type.Array(Type.String()) }))

export default adapter(keywords, async (task, tools) => {
  const { text } = task.input
  const language = await languageOf(tools, text, task.input.language)
  const { original, found } = await extract(tools, text, language, task.params)
  const items = found.keyPhrases.map((keyword) => ({ keyword, importance: null }))
  return { output: { items }, original, units: billedCharacters(text, TEXT_RECORD) }
})
