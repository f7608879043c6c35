import { type Fields, textOf } from '../../base/schema/record.ts'
import { textResult } from '../../translation/mcp/tools.ts'
import { type OfferedTool, type Outcome, PREFIX, type ToolKit } from './offered-tool.ts'
import { dataResult, factsOf, failureResult, isFailure, jsonOf, outputSchema } from './tool-results.ts'
import { inputSchema } from './tool-schema.ts'

const UPLOAD = 'POST /v3/upload'
/** White space behind it is cut off first, because an expression that allows that would look at each place of it again and again. */
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}$/

export const UPLOAD_FILE: OfferedTool = {
  tool: {
    name: `${PREFIX}upload_file`,
    title: 'Upload a file',
    description: 'Stores a file and returns its `file_id`, which other tools take where they need a file.',
    inputSchema: inputSchema(
      {
        filename: { type: 'string', minLength: 1, description: 'Its name.' },
        content_base64: { type: 'string', description: 'Its bytes, in Base64.' },
        content_text: { type: 'string', description: 'Its text, if it is one, instead of `content_base64`.' },
        expires_in_days: { type: 'integer', minimum: 1, maximum: 30, default: 30, description: 'When it is deleted.' },
      },
      ['filename'],
    ),
    outputSchema: outputSchema({ type: 'object', description: 'The file: `file_id`, `file_size`, `file_mimetype` …' }),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  },
  endpoints: [UPLOAD],
  run: uploadFile,
}

async function uploadFile(args: Fields, kit: ToolKit): Promise<Outcome> {
  const bytes = bytesOf(args)
  if (typeof bytes === 'string') return { result: textResult(bytes, true) }
  const { filename, expires_in_days: days } = args
  const boundary = `gatehouse-${kit.services.newId()}`
  const parts = [
    ...(days === undefined ? [] : [part(boundary, 'name="expires_in_days"', Buffer.from(String(days)))]),
    part(boundary, `name="file"; filename="${quoted(textOf(filename) || 'file')}"`, bytes),
    Buffer.from(`--${boundary}--\r\n`),
  ]
  const form = { type: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(parts) }
  const answer = await kit.ask({ endpoint: UPLOAD, form })
  if (isFailure(answer)) return { result: failureResult(answer) }
  return { result: await dataResult(jsonOf(answer), factsOf(answer), kit) }
}

/** The bytes, or what is wrong with the arguments. */
function bytesOf({ content_base64: base64, content_text: text }: Fields): Buffer | string {
  if ((base64 === undefined) === (text === undefined)) return 'Send either content_base64 or content_text.'
  if (typeof text === 'string') return Buffer.from(text)
  if (typeof base64 !== 'string') return 'The content has to be a text.'
  return base64 === '' || BASE64.test(base64.trimEnd())
    ? Buffer.from(base64, 'base64')
    : 'content_base64 is not Base64.'
}

function part(boundary: string, disposition: string, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ])
}

/** As browsers write names of files in forms. */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
