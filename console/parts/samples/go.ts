import { literal } from '../literal.ts'
import type { SampleRequest } from './sample-request.ts'

type Form = NonNullable<SampleRequest['form']>

/** A program of the standard library. Go refuses an import that is not used, so each part names what it needs. */
export function goSample(request: SampleRequest): string {
  const body = bodyOf(request)
  const read = READ[request.answer]
  const packages = ['fmt', 'net/http', ...(request.key ? ['os'] : []), ...body.packages, ...read.packages]
  const imports = [...new Set(packages)].toSorted().map((name) => `\t"${name}"\n`)
  const lines = [
    ...body.lines,
    `request, err := http.NewRequest("${request.method}", ${quoted(request.url)}, ${body.value})`,
    ...CHECK,
    ...headersOf(request).map((header) => `request.Header.Set(${header})`),
    ...body.type.map((type) => `request.Header.Set("Content-Type", ${type})`),
    'answer, err := http.DefaultClient.Do(request)',
    ...CHECK,
    'defer answer.Body.Close()',
    ...read.lines,
  ]
  return `package main\n\nimport (\n${imports.join('')})\n\nfunc main() {\n${lines.map((line) => `\t${line}\n`).join('')}}`
}

const CHECK = ['if err != nil {', '\tpanic(err)', '}']

const PRINT = { packages: ['io', 'os'], lines: ['fmt.Println(answer.Status)', 'io.Copy(os.Stdout, answer.Body)'] }
const READ = {
  json: PRINT,
  text: PRINT,
  stream: PRINT,
  empty: { packages: [], lines: ['fmt.Println(answer.Status)'] },
  binary: {
    packages: ['io', 'os'],
    lines: [
      'file, err := os.Create("answer.bin")',
      ...CHECK,
      'defer file.Close()',
      'io.Copy(file, answer.Body)',
      'fmt.Println(answer.Status, "The answer is in answer.bin.")',
    ],
  },
}

function headersOf({ key, headers }: SampleRequest): string[] {
  return [
    ...(key ? [`"Authorization", "Bearer "+os.Getenv("${key}")`] : []),
    ...Object.entries(headers).map(([name, value]) => `${quoted(name)}, ${quoted(value)}`),
  ]
}

type Body = { packages: string[]; lines: string[]; value: string; type: string[] }

function bodyOf({ json, form }: SampleRequest): Body {
  if (json !== undefined) {
    const lines = [`body := strings.NewReader(${raw(literal(json, 'json').replaceAll('\n', '\n\t'))})`]
    return { packages: ['strings'], lines, value: 'body', type: ['"application/json"'] }
  }
  if (!form) return { packages: [], lines: [], value: 'nil', type: [] }
  return form.type === 'multipart/form-data' ? multipart(form) : urlEncoded(form)
}

function urlEncoded({ type, fields }: Form): Body {
  const members = fields.map(([name, value]) => `${quoted(name)}: {${quoted(value)}}`)
  const lines = [`form := url.Values{${members.join(', ')}}`]
  return { packages: ['net/url', 'strings'], lines, value: 'strings.NewReader(form.Encode())', type: [quoted(type)] }
}

function multipart({ fields, files }: Form): Body {
  const lines = [
    ...['var body bytes.Buffer', 'form := multipart.NewWriter(&body)'],
    ...fields.map(([name, value]) => `form.WriteField(${quoted(name)}, ${quoted(value)})`),
    ...(files.length > 0 ? [filesOf(files), ...ADD_FILE] : []),
    'form.Close()',
  ]
  const packages = ['bytes', 'mime/multipart', ...(files.length > 0 ? ['os'] : [])]
  return { packages, lines, value: '&body', type: ['form.FormDataContentType()'] }
}

function filesOf(files: Form['files']): string {
  return `for _, file := range [][2]string{${files.map(([name, path]) => `{${quoted(name)}, ${quoted(path)}}`).join(', ')}} {`
}

const ADD_FILE = [
  '\tcontent, err := os.ReadFile(file[1])',
  ...CHECK.map((line) => `\t${line}`),
  '\tpart, err := form.CreateFormFile(file[0], file[1])',
  ...CHECK.map((line) => `\t${line}`),
  '\tpart.Write(content)',
  '}',
]

/** A text between backticks has no escapes. */
function raw(text: string): string {
  return text.includes('`') ? quoted(text) : `\`${text}\``
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
