internal import YAML

/// A field whose name is the user's own: a role, a control.
struct ProfileEntry {
    let name: String
    /// The place of the field's name.
    let position: YAMLPosition
    let value: ProfileValue
}
