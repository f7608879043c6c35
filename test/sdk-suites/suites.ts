import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

// The tests that the makers of SDKs wrote for them. They call every endpoint of a real address and check the answers strictly.

export type Suite = {
  name: string
  /** Programs that have to be on the machine. */
  needs: readonly string[]
  install: string
  /** Writes `results.txt`: a line for each test, `passed`, `failed` or `skipped` and the name of the test. */
  run: string
}

const UV = 'test -x ../uv/bin/uv || (python3 -m venv ../uv && ../uv/bin/pip -q install uv==0.13.7)'
const ANY_KEY = '"my-anthropic-api-key"\\|"My API Key"'
const READ_JUNIT = join(import.meta.dirname, 'read_junit.py')
const READ_GO_TESTS = join(import.meta.dirname, 'read-go-tests.ts')
const TOOLS = [
  ...[
    'pytest==9.2.0',
    'pytest-asyncio==1.5.0',
    'inline-snapshot==0.36.1',
    'http-snapshot[httpx]==0.1.9',
    'respx==0.23.1',
  ],
  ...['dirty-equals==0.11', 'time-machine==3.6.0', 'rich==15.0.0', 'hypothesis==6.170.15', 'azure-identity==1.27.0'],
]

export const SUITES: readonly Suite[] = [
  python('openai', '3.51.0', [
    ...['audio', 'chat', 'conversations', 'responses', 'uploads', 'test_completions.py', 'test_conversations.py'],
    ...['test_embeddings.py', 'test_files.py', 'test_images.py', 'test_models.py', 'test_moderations.py'],
    ...['test_responses.py', 'test_uploads.py'],
  ]),
  python('anthropic', '2.9.0', [
    ...['messages', 'test_files.py', 'test_messages.py', 'test_models.py'],
    ...['beta/messages', 'beta/test_files.py', 'beta/test_messages.py', 'beta/test_models.py'],
  ]),
  go('openai-go', 'github.com/openai/openai-go/v3', '3.91.0', [
    ...['audiotranscription', 'audiotranslation', 'chatcompletion', 'chatcompletionmessage'],
    ...['completion', 'embedding', 'file', 'image', 'model', 'moderation', 'upload', 'uploadpart', 'usage'],
    ...['conversations/conversation', 'conversations/item'],
    ...['responses/response', 'responses/inputitem', 'responses/inputtoken'],
  ]),
]

/** What is not run, and why. */
export const NOT_RUN: readonly string[] = [
  'openai and @anthropic-ai/sdk (npm): the packages have no tests',
  'anthropic-sdk-go: the module has tests, which are not run yet',
  'openai-java and anthropic-java (Maven): the source archives have no tests, and there are no archives of tests',
]

function python(name: string, version: string, files: readonly string[]): Suite {
  const source = `${name}-${version}`
  const paths = files.map((file) => `tests/api_resources/${file}`).join(' ')
  return {
    name: source,
    needs: ['python3', 'tar'],
    install:
      `${UV}; python3 -m pip download -q --no-deps --no-binary ${name} ${name}==${version} && tar xzf ${source}.tar.gz && ` +
      `sed -i 's/${ANY_KEY}/os.environ["TEST_API_KEY"]/' ${source}/tests/conftest.py && ../uv/bin/uv venv -q --clear env && ` +
      `../uv/bin/uv pip install -q --python env/bin/python './${source}[aiohttp]' ${TOOLS.map((tool) => `'${tool}'`).join(' ')}`,
    run:
      `cd ${source} && (../env/bin/python -m pytest -q -p no:xdist -p no:cacheprovider -o addopts='--tb=short' ${extra(name)} ` +
      `--junitxml=../junit.xml ${paths} > ../output.txt 2>&1 || true) && ` +
      `python3 ${READ_JUNIT} ../junit.xml > ../results.txt`,
  }
}

/** The module has the tests. Its other tests, which call other endpoints or none, would take minutes to compile. */
function go(name: string, module: string, version: string, files: readonly string[]): Suite {
  const source = `${name}-${version}`
  const tests = files.map((file) => `./${file}_test.go`)
  const folders = [...new Set(tests.map(dirname))].join(' ')
  return {
    name: source,
    needs: ['go'],
    install:
      `cp -r "$(go mod download -json ${module}@v${version} | sed -n 's/.*"Dir": "\\(.*\\)".*/\\1/p')" ${source} && ` +
      `chmod -R u+w ${source} && cd ${source} && ` +
      `find . -name '*_test.go' | grep -vxF ${tests.map((test) => `-e ${test}`).join(' ')} | xargs rm && ` +
      `sed -i 's/${ANY_KEY}/os.Getenv("TEST_API_KEY")/' ${tests.join(' ')} && go mod download`,
    run:
      `cd ${source} && (go test -trimpath -json ${folders} > ../events.json 2> ../output.txt || true) && ` +
      `'${process.execPath}' ${READ_GO_TESTS} ../events.json ${module} > ../results.txt`,
  }
}

/** A plugin of its own that its configuration names. */
function extra(name: string): string {
  return name === 'anthropic' ? '-p tests._alias_httpx' : ''
}

/** By the reason why they fail: tests that are known to fail, with every client or with the one in brackets. */
export async function expectedFailures(suite: string): Promise<ReadonlyMap<string, string>> {
  const file = join(import.meta.dirname, 'expected', `${suite}.json`)
  const reasons: Record<string, string[]> = JSON.parse(await readFile(file, 'utf8'))
  return new Map(Object.entries(reasons).flatMap(([reason, tests]) => tests.map((test) => [test, reason] as const)))
}
