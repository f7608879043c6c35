import type { SETTINGS } from './config.ts'

export type SettingName = keyof typeof SETTINGS

/**
 * Whether a changed setting applies when the configuration is reloaded, or only after a restart. A setting applies at once if
 * it is read from the configuration of a call, or if src/configuration.ts carries it over.
 */
const APPLIES: Record<SettingName, 'on reload' | 'after a restart'> = {
  host: 'after a restart',
  port: 'after a restart',
  adminHost: 'after a restart',
  adminPort: 'after a restart',
  adminHosts: 'on reload',
  corsOrigins: 'on reload',
  dataDir: 'after a restart',
  blobUrl: 'after a restart',
  databaseUrl: 'after a restart',
  memoryLimitMb: 'after a restart',
  workers: 'after a restart',
  gatehouseApiKey: 'on reload',
  gatehouseAdminKey: 'on reload',
  adminKeyAccess: 'on reload',
  allowNetworks: 'on reload',
  publicUrl: 'on reload',
  adminUrl: 'on reload',
  trustedProxies: 'on reload',
  tlsCertFile: 'after a restart',
  tlsKeyFile: 'after a restart',
  catalogUrl: 'on reload',
  catalogPublicKey: 'on reload',
  awsAccessKeyId: 'after a restart',
  awsSecretAccessKey: 'after a restart',
  awsSessionToken: 'after a restart',
  cloudIdentity: 'after a restart',
  uploadLimitMb: 'on reload',
  uploadQuotaMb: 'on reload',
  ledgerJournalMb: 'after a restart',
  ledgerRetentionDays: 'on reload',
  jobRetentionDays: 'on reload',
  deliveryRetentionDays: 'on reload',
  responseRetentionDays: 'on reload',
  databasePool: 'after a restart',
  keyCacheMinutes: 'after a restart',
  upstreamConnections: 'after a restart',
  httpsProxy: 'after a restart',
  httpProxy: 'after a restart',
  noProxy: 'after a restart',
  webhookPrivateKeyFile: 'after a restart',
  encryptionKeys: 'after a restart',
  drainDelaySeconds: 'on reload',
  drainSeconds: 'on reload',
  region: 'on reload',
  logLevel: 'on reload',
  logFormat: 'after a restart',
  bodyLimitMb: 'after a restart',
}

export function needsRestart(name: string): boolean {
  return Object.hasOwn(APPLIES, name) && APPLIES[name as SettingName] === 'after a restart'
}
