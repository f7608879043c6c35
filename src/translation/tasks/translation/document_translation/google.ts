import Type from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { DOCX, OLD_OFFICE, PPTX, XLSX } from '../../inputs/document-kinds.ts'
import { base64Of } from '../../http/inline-file.ts'
import { jsonPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { translatedDocument } from '../../results/translated-document.ts'
import { adapter } from '../../feature.ts'
import { languageTag, namedLanguage } from '../../fields/language.ts'
import { measuredUnits } from '../../measured-units.ts'
import documentTranslation from './feature.ts'

// https://cloud.google.com/translate/docs/reference/rest/v3/projects.locations/translateDocument

const ACCEPTED = { types: ['application/pdf', DOCX, PPTX, XLSX, ...OLD_OFFICE], megabytes: 20, pages: 300 }

const readReply = replyReader(
  Type.Object({ documentTranslation: Type.Object({ byteStreamOutputs: Type.Array(Type.String(), { minItems: 1 }) }) }),
)

export default adapter(documentTranslation, async (task, tools) => {
  const { source_language } = task.input
  const targetLanguageCode = languageTag(task.input.target_language)
  const file = acceptFile(task.files.file!, ACCEPTED)
  const documentInputConfig = { content: await base64Of(file), mimeType: file.type }
  const languages = { targetLanguageCode, sourceLanguageCode: namedLanguage(source_language) }
  const payload = jsonPayload({ ...task.params, ...languages, documentInputConfig })
  const question = { service: 'documents', path: ':translateDocument', payload }
  const original = await askForJson(tools, question, readReply)
  const bytes = Buffer.from(original.documentTranslation.byteStreamOutputs[0]!, 'base64')
  const output = await translatedDocument(tools, file, targetLanguageCode, bytes)
  return { output, original, units: measuredUnits(documentTranslation, task) }
})
