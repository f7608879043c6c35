import { literal } from '../literal.ts'
import type { SampleRequest } from './sample-request.ts'

type Form = NonNullable<SampleRequest['form']>

/** A program of Java 17 or newer, without a library: `java Sample.java`. */
export function javaSample(request: SampleRequest): string {
  const body = bodyOf(request)
  const read = READ[request.answer]
  const sent = sendOf(request, body)
  const imports = [
    ...['java.net.URI', 'java.net.http.HttpClient', 'java.net.http.HttpRequest'],
    ...(sent.includes('BodyPublishers') ? ['java.net.http.HttpRequest.BodyPublishers'] : []),
    ...['java.net.http.HttpResponse.BodyHandlers', ...body.imports, ...read.imports],
  ]
  const lines = [
    ...body.lines,
    `var request = HttpRequest.newBuilder(URI.create(${quoted(request.url)}))`,
    ...[...headersOf(request), ...body.type].map((header) => `    .header(${header})`),
    `    ${sent}`,
    '    .build();',
    `var answer = HttpClient.newHttpClient().send(request, ${read.handler});`,
    'System.out.println(answer.statusCode());',
    ...read.lines,
  ]
  const shown = [...new Set(imports)].toSorted().map((name) => `import ${name};\n`)
  const main = lines.map((line) => `        ${line.replaceAll('\n', '\n        ')}\n`).join('')
  return `${shown.join('')}\npublic class Sample {\n    public static void main(String[] args) throws Exception {\n${main}    }\n}`
}

const PRINT = { imports: [], handler: 'BodyHandlers.ofString()', lines: ['System.out.println(answer.body());'] }
const READ = {
  json: PRINT,
  text: PRINT,
  stream: { imports: [], handler: 'BodyHandlers.ofLines()', lines: ['answer.body().forEach(System.out::println);'] },
  empty: { imports: [], handler: 'BodyHandlers.discarding()', lines: [] },
  binary: {
    imports: ['java.nio.file.Path'],
    handler: 'BodyHandlers.ofFile(Path.of("answer.bin"))',
    lines: ['System.out.println("The answer is in answer.bin.");'],
  },
}

function headersOf({ key, headers }: SampleRequest): string[] {
  return [
    ...(key ? [`"Authorization", "Bearer " + System.getenv("${key}")`] : []),
    ...Object.entries(headers).map(([name, value]) => `${quoted(name)}, ${quoted(value)}`),
  ]
}

/** A request that has no body has a method of its own in Java, where HTTP usually sends none. */
function sendOf({ method, json, form }: SampleRequest, { value }: Body): string {
  const hasBody = json !== undefined || form !== undefined
  return !hasBody && (method === 'GET' || method === 'DELETE') ? `.${method}()` : `.method("${method}", ${value})`
}

type Body = { imports: string[]; lines: string[]; value: string; type: string[] }

function bodyOf({ json, form }: SampleRequest): Body {
  if (json !== undefined) {
    const lines = [`var body = ${textBlock(literal(json, 'json'))};`]
    return { imports: [], lines, value: 'BodyPublishers.ofString(body)', type: ['"Content-Type", "application/json"'] }
  }
  if (!form) return { imports: [], lines: [], value: 'BodyPublishers.ofString("")', type: [] }
  return form.type === 'multipart/form-data' ? multipart(form) : urlEncoded(form)
}

function urlEncoded({ type, fields }: Form): Body {
  const encoded = new URLSearchParams(fields).toString()
  return {
    imports: [],
    lines: [`var body = ${quoted(encoded)};`],
    value: 'BodyPublishers.ofString(body)',
    type: [`"Content-Type", ${quoted(type)}`],
  }
}

/** Java has no forms with files of its own, so the program writes the parts. */
function multipart({ fields, files }: Form): Body {
  const head = (disposition: string) =>
    `body.write(("--" + boundary + "\\r\\nContent-Disposition: form-data; ${disposition}\\r\\n\\r\\n").getBytes());`
  const lines = [
    ...['var boundary = "form-" + System.nanoTime();', 'var body = new ByteArrayOutputStream();'],
    ...fields.flatMap(([name, value]) => [
      head(`name=\\"${name}\\"`),
      `body.write(${quoted(`${value}\r\n`)}.getBytes());`,
    ]),
    ...files.flatMap(([name, file]) => [
      head(`name=\\"${name}\\"; filename=\\"${file}\\"`),
      `body.write(Files.readAllBytes(Path.of(${quoted(file)})));`,
      'body.write("\\r\\n".getBytes());',
    ]),
    'body.write(("--" + boundary + "--\\r\\n").getBytes());',
  ]
  return {
    imports: [
      'java.io.ByteArrayOutputStream',
      ...(files.length > 0 ? ['java.nio.file.Files', 'java.nio.file.Path'] : []),
    ],
    lines,
    value: 'BodyPublishers.ofByteArray(body.toByteArray())',
    type: ['"Content-Type", "multipart/form-data; boundary=" + boundary'],
  }
}

/** The last line says how far the text is indented. */
function textBlock(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"""')
  return `"""\n    ${escaped.replaceAll('\n', '\n    ')}\n    """`
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
