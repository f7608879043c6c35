import Type from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { ownDownload } from '../../http/own-download.ts'
import { cutoutOf, imageFormat } from '../../results/cutout.ts'
import { formPayload } from '../../http/payload.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import backgroundRemoval from './feature.ts'

// https://docs.picsart.io/reference/image-remove-background. The answer names a file that lasts for a day.

const ACCEPTED = { types: ['image/jpeg', 'image/png', 'image/webp', 'image/tiff', 'image/heic'], megabytes: 100 }
const FORMATS = ['png', 'jpg', 'webp']
const STORES = ['picsart.io', 'picsart.com']
/** Other places of the image that is to be cut out. */
const OTHER_SOURCES = { image: undefined, image_url: undefined, image_id: undefined }

const readReply = replyReader(Type.Object({ data: Type.Object({ url: Type.String({ minLength: 1 }) }) }))

export default adapter(backgroundRemoval, async (task, tools) => {
  const format = imageFormat(task.params.format, FORMATS)
  const fields = { output_type: 'cutout', ...task.params, format: format.toUpperCase(), ...OTHER_SOURCES }
  const payload = await formPayload(fields, [{ field: 'image', file: acceptFile(task.files.file!, ACCEPTED) }])
  const question = { path: '/tools/1.0/removebg', payload, headers: { accept: 'application/json' } }
  const original = await askForJson(tools, question, readReply)
  const made = await cutoutOf(await ownDownload(original.data.url, STORES, tools), format, tools)
  return { ...made, original }
})
