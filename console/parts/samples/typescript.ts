import { literal } from '../literal.ts'
import type { SampleRequest } from './sample-request.ts'

/** A program for Node, without a package. */
export function typescriptSample(request: SampleRequest): string {
  const { method, url, form } = request
  const imports = importsOf(request)
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',\n`]),
    ...headersOf(request),
    ...bodyOf(request),
  ].join('')
  return [
    ...(imports.length > 0 ? [`${imports.join('\n')}\n\n`] : []),
    ...(form?.type === 'multipart/form-data' ? [formOf(form)] : []),
    `const answer = await fetch(${JSON.stringify(url)}${options === '' ? '' : `, {\n${options}}`})\n`,
    READ[request.answer],
  ].join('')
}

const READ = {
  json: 'console.log(JSON.stringify(await answer.json(), null, 2))',
  text: 'console.log(answer.status, await answer.text())',
  empty: 'console.log(answer.status)',
  stream: 'for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) process.stdout.write(part)',
  binary: "await writeFile('answer.bin', answer.body!)\nconsole.log(answer.status, 'The answer is in answer.bin.')",
}

function importsOf({ answer, form }: SampleRequest): string[] {
  return [
    ...(form && form.files.length > 0 ? [`import { openAsBlob } from 'node:fs'`] : []),
    ...(answer === 'binary' ? [`import { writeFile } from 'node:fs/promises'`] : []),
  ]
}

function headersOf({ key, headers, json }: SampleRequest): string[] {
  const lines = [
    ...(key ? [`    Authorization: \`Bearer \${process.env.${key}}\`,\n`] : []),
    ...(json === undefined ? [] : [`    'Content-Type': 'application/json',\n`]),
    ...Object.entries(headers).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`),
  ]
  return lines.length === 0 ? [] : [`  headers: {\n${lines.join('')}  },\n`]
}

function bodyOf({ json, form }: SampleRequest): string[] {
  if (json !== undefined) return [`  body: JSON.stringify(${literal(json, 'typescript', '  ')}),\n`]
  if (!form) return []
  if (form.type === 'multipart/form-data') return ['  body: form,\n']
  return [`  body: new URLSearchParams(${literal(Object.fromEntries(form.fields), 'typescript', '  ')}),\n`]
}

function formOf({ fields, files }: NonNullable<SampleRequest['form']>): string {
  const texts = fields.map(([name, value]) => `form.append(${JSON.stringify(name)}, ${JSON.stringify(value)})\n`)
  const blobs = files.map(
    ([name, file]) => `form.append(${JSON.stringify(name)}, await openAsBlob('${file}'), '${file}')\n`,
  )
  return ['const form = new FormData()\n', ...texts, ...blobs].join('')
}
