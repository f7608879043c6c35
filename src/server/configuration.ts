import { packageVersion } from '../platform/version.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { type Config, parseConfig } from '../platform/config/config.ts'
import {
  changedNames,
  type ProcessReport,
  type ReportedValue,
  reported,
} from '../platform/config/report/config-report.ts'
import { type ConfigFile, readSource, type StoredConfig } from '../platform/config/config-source.ts'
import { type EffectiveValue, effectiveValues } from '../platform/config/report/effective-values.ts'
import { changedProxies } from '../platform/config/provider-origins.ts'
import { RESTART_SETTINGS } from '../platform/config/settings.ts'

const VERSION = packageVersion()

/** What a reload did: the values that changed, and those that wait for a restart. */
type ReloadReport = { changed: string[]; needsRestart: string[] }

type PreparedReload = { report: ReloadReport; commit(): void }

type Options = {
  config: Config
  /** Builds everything for a configuration. Nothing is active before the function that it returns is called. */
  prepare(config: Config): () => void
  /** Values that the installation keeps in its store. */
  stored(): readonly EffectiveValue[]
  /** Known to all processes of the installation. */
  digestKey(): string
  /** The name of this process. */
  process: string
  /** Called when another configuration is active. `report` costs something: it masks and digests every value. */
  changed(report: () => ProcessReport): void
  log: Logger
  now(): number
}

/** The active configuration of this process, and its replacement while the process runs. */
export class Configuration {
  readonly #options: Options
  /** Settings that need a restart keep the values that they had at the start. */
  readonly #first: Config
  /** As it was read; `active` differs from it in the settings that wait for a restart. */
  #latest: Config
  #active: Config
  #loadedAt: number
  #stored: StoredConfig = {}
  /** Grows with every change, so that a reload that took a while does not undo a change that came in between. */
  #changes = 0

  constructor(options: Options) {
    this.#options = options
    this.#first = options.config
    this.#latest = options.config
    this.#active = options.config
    this.#loadedAt = options.now()
  }

  get active(): Config {
    return this.#active
  }

  /** What the active configuration was read from. A process that starts later has to begin with the same file. */
  get file(): ConfigFile {
    return this.#latest.source.file
  }

  /** Reads the config file again. Throws a ConfigError if it cannot be read. */
  readFile(): ConfigFile {
    return readSource(this.#first.source.environment).file
  }

  /**
   * Applies what the store, or a file with a credential, says now. The config file stays as it was read, and is not checked
   * again unless this is the `first` time that the store has been read.
   */
  refresh(stored: StoredConfig = {}, { isFirst = false } = {}): void {
    const before = this.#stored
    this.#stored = { ...before, ...stored }
    try {
      const isRefresh = !isFirst
      if (!this.#isActive(this.#parse(this.file, isRefresh))) this.prepare(this.file, isRefresh).commit()
    } catch (error) {
      this.#stored = before
      throw error
    }
  }

  /** Checks everything first: a ConfigError leaves the active configuration as it is. */
  prepare(file: ConfigFile, isRefresh = false): PreparedReload {
    const changes = this.#changes
    const latest = this.#parse(file, isRefresh)
    const active = this.#withRestartSettings(latest)
    const report = {
      changed: changedNames(effectiveValues(this.#active), effectiveValues(active)),
      needsRestart: [
        ...changedNames(effectiveValues(active), effectiveValues(latest)),
        ...changedProxies(this.#first.providers, latest.providers),
      ],
    }
    const activate = this.#options.prepare(active)
    const commit = () => {
      if (changes !== this.#changes) this.prepare(file, isRefresh).commit()
      else this.#commit({ latest, active, activate, report })
    }
    return { report, commit }
  }

  #parse(file: ConfigFile, isRefresh: boolean): Config {
    return parseConfig({ environment: this.#first.source.environment, file, stored: this.#stored, isRefresh })
  }

  /** Whether nothing is different that calls use, if the config file is the same. */
  #isActive({ catalogUpdate, providers, mcp }: Config): boolean {
    const latest = this.#latest
    if (catalogUpdate !== latest.catalogUpdate || !isDeepStrictEqual(mcp, latest.mcp)) return false
    return isDeepStrictEqual(providers, latest.providers)
  }

  /** This process as others see it. */
  report(): ProcessReport {
    const { process } = this.#options
    return { process, loadedAt: this.#loadedAt, version: VERSION, values: this.#valuesOf(this.#active) }
  }

  /** The values that settings will have after a restart, masked, by name. */
  pending(): Map<string, unknown> {
    const names = new Set(changedNames(effectiveValues(this.#active), effectiveValues(this.#latest)))
    const latest = this.#valuesOf(this.#latest)
    return new Map(latest.filter(({ name }) => names.has(name)).map(({ name, value }) => [name, value]))
  }

  #commit({
    latest,
    active,
    activate,
    report,
  }: {
    latest: Config
    active: Config
    activate(): void
    report: ReloadReport
  }) {
    activate()
    this.#changes++
    this.#latest = latest
    this.#active = active
    this.#loadedAt = this.#options.now()
    this.#options.log.info({ changed: report.changed, needs_restart: report.needsRestart }, 'configuration reloaded')
    this.#options.changed(() => this.report())
  }

  #withRestartSettings(latest: Config): Config {
    const values = Object.fromEntries(RESTART_SETTINGS.map((name) => [name, this.#first[name]]))
    const origins = Object.fromEntries(RESTART_SETTINGS.map((name) => [name, this.#first.origins[name]!]))
    return { ...latest, ...values, origins: { ...latest.origins, ...origins } }
  }

  #valuesOf(config: Config): ReportedValue[] {
    const { stored, digestKey } = this.#options
    const key = digestKey()
    return [...effectiveValues(config), ...stored()].map((value) => reported(value, key))
  }
}
