import { join } from 'node:path'

export type Generator = {
  name: string
  /** Programs that have to be on the machine. */
  needs: string[]
  /** Shell commands, run one after the other in a folder that has the documents. */
  steps: { generate: string; compile: string; call?: string }
}

const PROGRAMS = join(import.meta.dirname, 'programs')
const VERSION = '7.25.0'
const JAR = `openapi-generator-cli-${VERSION}.jar`
const ARTIFACT = `org.openapitools:openapi-generator-cli:${VERSION}`
const FETCH_JAR = `test -f ${JAR} || mvn -q dependency:copy -Dartifact=${ARTIFACT} -DoutputDirectory=.`

const COMPILER = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'tsc')
const TSC = `${COMPILER} --noEmit --skipLibCheck --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom`
/** Forms that share an operation with JSON are otherwise imported but not written. */
const WITH_FORMS = '--global-property skipFormModel=false'

export const GENERATORS: Generator[] = [
  openapiGenerator('python', ['python3'], {
    compile: 'python3 -m venv python-env && python-env/bin/pip -q install ./python',
    call: `python-env/bin/python ${join(PROGRAMS, 'calls.py')}`,
  }),
  openapiGenerator('go', ['go'], { compile: 'cd go && GOFLAGS=-mod=mod go build ./...' }),
  openapiGenerator('java', [], { compile: 'cd java && mvn -q compile -Dmaven.test.skip=true' }, WITH_FORMS),
  openapiGenerator('typescript-fetch', [], { compile: `${TSC} typescript-fetch/index.ts` }, WITH_FORMS),
  openapiGenerator('rust', ['cargo'], { compile: 'cd rust && cargo build -q' }),
  {
    name: 'openapi-python-client',
    needs: ['python3'],
    steps: {
      generate:
        'python3 -m venv opc-env && opc-env/bin/pip -q install openapi-python-client==0.29.1 && ' +
        'opc-env/bin/openapi-python-client generate --path api.json --output-path opc',
      // Two modules use a name that they do not import; see docs/clients.md.
      compile:
        "grep -rlE 'Unset' opc/gatehouse_client/api | while read -r file; do grep -q 'import.*Unset' \"$file\" || " +
        'sed -i \'1i from ...types import Unset\' "$file"; done && opc-env/bin/pip -q install ./opc && ' +
        'opc-env/bin/python -c "import importlib, pkgutil, gatehouse_client as c; ' +
        "[importlib.import_module(m.name) for m in pkgutil.walk_packages(c.__path__, 'gatehouse_client.')]\"",
    },
  },
  {
    name: 'oapi-codegen',
    needs: ['go'],
    steps: {
      generate:
        'mkdir -p oapi && cd oapi && go mod init example/client && ' +
        'go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate types,client -package client ' +
        '-o client.go ../api-without-webhooks.json',
      compile: 'cd oapi && go mod tidy && go build ./...',
    },
  },
]

function openapiGenerator(
  language: string,
  needs: string[],
  steps: { compile: string; call?: string },
  options = '',
): Generator {
  const generate = `${FETCH_JAR}; java -jar ${JAR} generate -g ${language} -i api.json -o ${language} ${options}`
  return {
    name: `openapi-generator ${language}`,
    needs: ['java', 'mvn', ...needs],
    steps: { generate, ...steps },
  }
}
