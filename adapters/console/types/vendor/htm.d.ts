declare const htm: { bind(h: Function): (text: TemplateStringsArray, ...values: any[]) => any }
export default htm
