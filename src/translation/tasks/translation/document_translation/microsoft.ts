import { acceptFile } from '../../inputs/accept-file.ts'
import { askForAnswer } from '../../http/ask-provider.ts'
import { DOCX, PPTX, XLSX } from '../../inputs/document-kinds.ts'
import { formPayload, queryOf } from '../../http/payload.ts'
import { TaskFailure } from '../../http/task-failure.ts'
import { translatedDocument } from '../../results/translated-document.ts'
import { adapter } from '../../feature.ts'
import { languageTag, namedLanguage } from '../../fields/language.ts'
import { measuredUnits } from '../../measured-units.ts'
import documentTranslation from './feature.ts'

// https://learn.microsoft.com/azure/ai-services/translator/document-translation/reference/synchronous-rest-api-guide

const ACCEPTED = { types: ['text/plain', 'text/html', 'text/csv', DOCX, PPTX, XLSX], megabytes: 10 }
const PATH = '/translator/document:translate'

export default adapter(documentTranslation, async (task, tools) => {
  const { source_language } = task.input
  const targetLanguage = languageTag(task.input.target_language)
  const file = acceptFile(task.files.file!, ACCEPTED)
  const languages = { targetLanguage, sourceLanguage: namedLanguage(source_language) }
  const query = queryOf({ ...task.params, ...languages, 'api-version': '2024-05-01' })
  const payload = await formPayload({}, [{ field: 'document', file }])
  const { bytes } = await askForAnswer(tools, { path: PATH + query, payload })
  if (bytes.length === 0) throw new TaskFailure('empty', 'the answer of the provider is an empty document')
  const output = await translatedDocument(tools, file, targetLanguage, bytes)
  const original = { type: file.type, size: bytes.length }
  return { output, original, units: measuredUnits(documentTranslation, task) }
})
