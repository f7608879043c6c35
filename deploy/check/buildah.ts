import { dirname, join } from 'node:path'
import { output, ROOT } from './run.ts'

/** What an image says about how it is run (the format of Docker; the OCI format has no health check). */
export type ImageConfig = {
  User: string
  StopSignal: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  ExposedPorts: Record<string, unknown>
  Healthcheck: { Test: string[] }
}

/** buildah with a storage of its own, which leaves images of this machine alone. */
export class Buildah {
  readonly #options: string[]

  constructor(folder: string) {
    const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
    this.#options = [...storage, '--storage-driver', 'vfs']
  }

  /** An image that has the content of a folder. */
  fromFolder(name: string, folder: string): void {
    const container = this.#run('from', 'scratch')
    this.#run('add', '--quiet', container, folder, '/')
    this.#run('commit', '--quiet', '--disable-compression', container, name)
    this.#run('rm', container)
  }

  build(name: string, values: string[]): void {
    const parameters = values.flatMap((value) => ['--build-arg', value])
    const certificates = process.env.NODE_EXTRA_CA_CERTS
    const volumes = certificates ? ['-v', `${dirname(certificates)}:${dirname(certificates)}:ro`] : []
    this.#run('build', '--isolation', 'chroot', '--format', 'docker', ...volumes, ...parameters, '-t', name, ROOT)
  }

  /** The files of a new container of the image, and the configuration of the image. */
  open(name: string): { root: string; config: ImageConfig } {
    const container = this.#run('from', name)
    const { Docker } = JSON.parse(this.#run('inspect', container)) as { Docker: { config: ImageConfig } }
    return { root: this.#run('mount', container), config: Docker.config }
  }

  #run(...parameters: string[]): string {
    return output('buildah', ...this.#options, ...parameters)
  }
}
