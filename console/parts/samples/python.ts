import { literal } from '../literal.ts'
import type { SampleRequest } from './sample-request.ts'

/** A program with the package `requests`. */
export function pythonSample(request: SampleRequest): string {
  const { method, url, key } = request
  const parts = [JSON.stringify(url), ...headersOf(request), ...bodyOf(request), ...streamOf(request)]
  return [
    ...(key ? ['import os'] : []),
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(\n${parts.map((part) => `    ${part},\n`).join('')})`,
    READ[request.answer],
  ].join('\n')
}

const READ = {
  json: 'print(answer.status_code, answer.json())',
  text: 'print(answer.status_code, answer.text)',
  empty: 'print(answer.status_code)',
  stream: 'for line in answer.iter_lines():\n    print(line.decode())',
  binary: 'open("answer.bin", "wb").write(answer.content)\nprint(answer.status_code, "The answer is in answer.bin.")',
}

function headersOf({ key, headers }: SampleRequest): string[] {
  const members = [
    ...(key ? [`"Authorization": f"Bearer {os.environ['${key}']}"`] : []),
    ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ]
  return members.length === 0 ? [] : [`headers={${members.join(', ')}}`]
}

function bodyOf({ json, form }: SampleRequest): string[] {
  if (json !== undefined) return [`json=${literal(json, 'python', '    ')}`]
  if (!form) return []
  const files = form.files.map(([name, file]) => `(${JSON.stringify(name)}, open(${JSON.stringify(file)}, "rb"))`)
  return [
    ...(form.fields.length > 0 ? [`data=${literal(Object.fromEntries(form.fields), 'python', '    ')}`] : []),
    ...(files.length > 0 ? [`files=[${files.join(', ')}]`] : []),
  ]
}

function streamOf({ answer }: SampleRequest): string[] {
  return answer === 'stream' ? ['stream=True'] : []
}
