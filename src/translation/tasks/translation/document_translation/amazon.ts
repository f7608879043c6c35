import Type from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askAmazon } from '../../vendors/amazon/client.ts'
import { translateLanguages } from '../../vendors/amazon/translate.ts'
import { DOCX } from '../../inputs/document-kinds.ts'
import { base64Of } from '../../http/inline-file.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { translatedDocument } from '../../results/translated-document.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import documentTranslation from './feature.ts'

// https://docs.aws.amazon.com/translate/latest/APIReference/API_TranslateDocument.html

const ACCEPTED = { types: ['text/plain', 'text/html', DOCX], megabytes: 0.1 }

const readReply = replyReader(Type.Object({ TranslatedDocument: Type.Object({ Content: Type.String() }) }))

export default adapter(documentTranslation, async (task, tools) => {
  const { target_language } = task.input
  const file = acceptFile(task.files.file!, ACCEPTED)
  const fields = {
    ...task.params,
    Document: { Content: await base64Of(file), ContentType: file.type },
    ...translateLanguages(task.input),
  }
  const original = await askAmazon(tools, 'translate.TranslateDocument', fields, readReply)
  const bytes = Buffer.from(original.TranslatedDocument.Content, 'base64')
  const output = await translatedDocument(tools, file, target_language, bytes)
  return { output, original, units: measuredUnits(documentTranslation, task) }
})
