import type { AddressParam } from './provider.ts'

/** London (eu-west-2) and Zurich (eu-central-2) are missing on purpose: they are in Europe but not in the European Union. */
export const AWS_REGIONS = {
  eu: ['eu-central-1', 'eu-north-1', 'eu-south-1', 'eu-south-2', 'eu-west-1', 'eu-west-3'],
  us: ['us-east-1', 'us-east-2', 'us-gov-east-1', 'us-gov-west-1', 'us-west-1', 'us-west-2'],
} as const

export const AWS_REGION: AddressParam = { default: 'us-east-1', regions: AWS_REGIONS }

export const OCI_REGIONS = {
  eu: ['eu-frankfurt-1'],
  us: ['us-ashburn-1', 'us-chicago-1', 'us-phoenix-1'],
} as const
