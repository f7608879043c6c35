import Type from '../../../../base/schema/type.ts'
import { analyzedText, textAnalysis } from '../../vendors/microsoft/language.ts'
import { adapter } from '../../feature.ts'
import keywords from './feature.ts'

// Microsoft ranks keywords without a score.

const extract = textAnalysis('KeyPhraseExtraction', Type.Object({ keyPhrases: Type.Array(Type.String()) }))

export default adapter(keywords, async (task, tools) => {
  const { original, found, units } = await analyzedText(tools, task, extract)
  const items = found.keyPhrases.map((keyword) => ({ keyword, importance: null }))
  return { output: { items }, original, units }
})
