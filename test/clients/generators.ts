import { join } from 'node:path'

export type Generator = {
  name: string
  /** Programs that have to be on the machine. */
  needs: string[]
  /** Shell commands, run one after the other in a folder that has the documents. */
  steps: Record<string, string>
}

const ROOT = join(import.meta.dirname, '..', '..')
const PROGRAMS = join(import.meta.dirname, 'programs')
const VERSION = '7.25.0'
const JAR = `openapi-generator-cli-${VERSION}.jar`
const ARTIFACT = `org.openapitools:openapi-generator-cli:${VERSION}`
const FETCH_JAR = `test -f ${JAR} || mvn -q dependency:copy -Dartifact=${ARTIFACT} -DoutputDirectory=.`

/** Forms that share an operation with JSON are otherwise imported but not written. */
const WITH_FORMS = '--global-property skipFormModel=false'

// TypeScript that imports without file extensions can only become CommonJS.
const TSC =
  `${join(ROOT, 'node_modules', '.bin', 'tsc')} --outDir js --skipLibCheck --target es2022 --module nodenext ` +
  `--lib es2022,dom --types node --typeRoots ${join(ROOT, 'node_modules', '@types')}`

/** Two modules use a name that they do not import; see docs/clients.md. */
const IMPORT_UNSET =
  "grep -rlE 'Unset' opc/gatehouse_client/api | while read -r file; do grep -q 'import.*Unset' \"$file\" || " +
  'sed -i \'1i from ...types import Unset\' "$file"; done'

export const GENERATORS: Generator[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    needs: [],
    steps: {
      call: `${process.execPath} --test ${join(import.meta.dirname, '..', 'sdks', 'typescript-client.test.ts')}`,
    },
  },
  openapiGenerator('python', ['python3'], {
    compile:
      'python3 -m venv python-env && python-env/bin/pip -q install ./python && python-env/bin/python -c ' +
      `"import importlib, pkgutil, openapi_client as c; [importlib.import_module(m.name) for m in ` +
      `pkgutil.walk_packages(c.__path__, 'openapi_client.')]"`,
    call: `python-env/bin/python ${join(PROGRAMS, 'openapi_generator.py')}`,
  }),
  openapiGenerator('go', ['go'], {
    compile: `cd go && mkdir -p calls && cp ${join(PROGRAMS, 'openapi-generator.go')} calls/main.go && GOFLAGS=-mod=mod go build ./...`,
    call: 'cd go && go run ./calls',
  }),
  openapiGenerator(
    'java',
    [],
    {
      compile:
        'cd java && mvn -q compile -Dmaven.test.skip=true && ' +
        'mvn -q dependency:build-classpath -Dmdep.outputFile=classpath.txt',
      call: `cd java && java -cp target/classes:$(cat classpath.txt) ${join(PROGRAMS, 'OpenapiGenerator.java')}`,
    },
    WITH_FORMS,
  ),
  openapiGenerator(
    'typescript-fetch',
    [],
    { compile: `cp ${join(PROGRAMS, 'typescript-fetch.ts')} calls.ts && ${TSC} calls.ts`, call: 'node js/calls.js' },
    WITH_FORMS,
  ),
  openapiGenerator('rust', ['cargo'], {
    // It makes empty types of `anyOf`; see docs/clients.md.
    generate: `sed 's/"anyOf"/"oneOf"/g' api.json > api-one-of.json; ${generate('rust', 'api-one-of.json')}`,
    compile:
      // Names of types are not names of variants; see docs/clients.md.
      "cd rust && sed -i 's/ArrayVecserde_json::Value(/ListOfValues(/' src/models/*.rs && " +
      `mkdir -p examples && cp ${join(PROGRAMS, 'openapi_generator.rs')} examples/calls.rs && ` +
      'cargo add -q --dev tokio --features rt,macros && cargo build -q --example calls',
    call: 'cd rust && cargo run -q --example calls',
  }),
  {
    name: 'openapi-python-client',
    needs: ['python3'],
    steps: {
      generate:
        'python3 -m venv opc-env && opc-env/bin/pip -q install openapi-python-client==0.29.1 && ' +
        'opc-env/bin/openapi-python-client generate --path api.json --output-path opc',
      compile:
        `${IMPORT_UNSET} && opc-env/bin/pip -q install ./opc && ` +
        'opc-env/bin/python -c "import importlib, pkgutil, gatehouse_client as c; ' +
        "[importlib.import_module(m.name) for m in pkgutil.walk_packages(c.__path__, 'gatehouse_client.')]\"",
      call: `opc-env/bin/python ${join(PROGRAMS, 'openapi_python_client.py')}`,
    },
  },
  {
    name: 'oapi-codegen',
    needs: ['go'],
    steps: {
      generate:
        'mkdir -p oapi && cd oapi && go mod init example/client && ' +
        'go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -generate types,client -package client ' +
        '-o client.go ../api.json',
      compile: `cd oapi && mkdir -p calls && cp ${join(PROGRAMS, 'oapi-codegen.go')} calls/main.go && go mod tidy && go build ./...`,
      call: 'cd oapi && go run ./calls',
    },
  },
]

function openapiGenerator(language: string, needs: string[], steps: Record<string, string>, options = ''): Generator {
  return {
    name: `openapi-generator ${language}`,
    needs: ['java', 'mvn', ...needs],
    steps: { generate: `${generate(language, 'api.json')} ${options}`, ...steps },
  }
}

function generate(language: string, document: string): string {
  return `${FETCH_JAR}; java -jar ${JAR} generate -g ${language} -i ${document} -o ${language}`
}
