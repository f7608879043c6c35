/** London (eu-west-2) and Zurich (eu-central-2) are left out on purpose: their names say Europe, not the Union. */
export const AWS_REGIONS = {
  eu: ['eu-central-1', 'eu-north-1', 'eu-south-1', 'eu-south-2', 'eu-west-1', 'eu-west-3'],
  us: ['us-east-1', 'us-east-2', 'us-gov-east-1', 'us-gov-west-1', 'us-west-1', 'us-west-2'],
} as const

export const OCI_REGIONS = {
  eu: ['eu-frankfurt-1'],
  us: ['us-ashburn-1', 'us-chicago-1', 'us-phoenix-1'],
} as const
