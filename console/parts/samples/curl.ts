import { literal } from '../literal.ts'
import type { SampleRequest } from './sample-request.ts'

/** A command that works as pasted, as soon as the variable has a key. */
export function curlSample(request: SampleRequest): string {
  const { method, url, key, headers, json, form, answer } = request
  const takesBody = json !== undefined || form !== undefined
  const isPlain = method === (takesBody ? 'POST' : 'GET')
  const flags = [...(answer === 'stream' ? ['-N'] : []), ...(isPlain ? [] : [`-X ${method}`])]
  return [
    ['curl', ...flags, quoted(url)].join(' '),
    ...(key ? [`-H "Authorization: Bearer $${key}"`] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(json === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${always(literal(json, 'json').replaceAll('\n', '\n  '))}`]),
    ...(form ? formLines(form) : []),
    // A command that says nothing would hide that the file has an error inside.
    ...(answer === 'binary' ? ['--fail-with-body --output answer.bin'] : []),
  ].join(' \\\n  ')
}

function formLines({ type, fields, files }: NonNullable<SampleRequest['form']>): string[] {
  if (type !== 'multipart/form-data')
    return fields.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
  const texts = fields.map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`)
  return [...texts, ...files.map(([name, file]) => `-F ${quoted(`${name}=@${file}`)}`)]
}

/** What a shell would read as something else than a text gets quotes. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : always(text)
}

function always(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
