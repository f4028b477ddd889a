/// What a `StateFile` keeps.
package protocol StateFileContent: Equatable, Codable {
    /// The file's name in the state folder.
    static var fileName: String { get }
    /// What it is, in the middle of a sentence: “what is remembered of devices”.
    static var subject: String { get }
    /// The only version that is understood.
    static var currentSchema: Int { get }
    /// The version that was read.
    var schema: Int { get }

    /// Nothing.
    init()
}
