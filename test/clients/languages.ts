import { join } from 'node:path'
import type { Client, Language } from './client-table.ts'

// How the packages of a client are installed into a folder of its own, and how its program is run there. Nothing is
// installed outside of the folder of the run.

type Steps = {
  /** Programs that have to be on the machine. */
  needs: readonly string[]
  install(client: Client): string
  run(client: Client): string
}

const PROGRAMS = join(import.meta.dirname, 'programs')

export const LANGUAGES: Record<Language, Steps> = {
  npm: {
    needs: ['npm'],
    install: ({ packages }) => `npm install --silent --no-audit --no-fund --prefix . ${packages.join(' ')}`,
    run: (client) => `PATH="$PWD/node_modules/.bin:$PATH" sh ${programOf(client)}`,
  },
  python: {
    needs: ['python3'],
    // pip needs ten minutes to find versions for crewai, and uv needs one.
    install: ({ packages }) =>
      'test -x ../uv/bin/uv || (python3 -m venv ../uv && ../uv/bin/pip -q install uv==0.13.7) && ' +
      `../uv/bin/uv venv -q --clear env && ../uv/bin/uv pip install -q --python env/bin/python ${quoted(packages)}`,
    run: (client) => `env/bin/python -B -W ignore ${programOf(client)}`,
  },
  go: {
    needs: ['go'],
    install: (client) =>
      `cp ${programOf(client)} main.go && go mod init example/client && go get ${client.packages.join(' ')} && go mod tidy`,
    run: () => 'go run .',
  },
  java: {
    needs: ['java', 'mvn'],
    install: ({ packages }) =>
      `echo '${pom(packages)}' > pom.xml && mvn -q dependency:build-classpath -Dmdep.outputFile=classpath.txt`,
    run: (client) => `java -cp "$(cat classpath.txt)" ${programOf(client)}`,
  },
  rust: {
    needs: ['cargo'],
    install: ({ packages }) => `cargo init -q --name client && ${packages.map(cargoAdd).join(' && ')}`,
    run: (client) => `cp ${programOf(client)} src/main.rs && cargo run -q`,
  },
}

export function programOf({ language, program }: Client): string {
  return join(PROGRAMS, language, program)
}

function quoted(packages: readonly string[]): string {
  return packages.map((name) => `'${name}'`).join(' ')
}

/** `name@version+feature+feature` */
function cargoAdd(name: string): string {
  const [crate, ...features] = name.split('+')
  return `cargo add -q ${crate}${features.length > 0 ? ` --features ${features.join()}` : ''}`
}

function pom(packages: readonly string[]): string {
  const dependencies = packages.map((name) => {
    const [group, artifact, version] = name.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`
  })
  const own = '<groupId>example</groupId><artifactId>client</artifactId><version>1</version>'
  return `<project><modelVersion>4.0.0</modelVersion>${own}<dependencies>${dependencies.join('')}</dependencies></project>`
}
