export interface Label {
  readonly id: number;
  name: string;
  color: string;
  description: string;
}
