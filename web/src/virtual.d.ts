declare module "virtual:icons" {
  const paths: Record<string, string>;
  export default paths;
  /** Those that a conversation can have. */
  export const given: string[];
}
