internal import CSoup

/// A value of D-Bus. What it is expected to have may be missing: it comes from another process.
final class DesktopValue {
    private let handle: OpaquePointer

    /// Takes over a reference.
    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { g_variant_unref(handle) }

    private var kind: String { String(cString: g_variant_get_type_string(handle)) }

    /// A part of a tuple or an array, unpacked where it is a variant; `nil` where there is none.
    subscript(index: Int) -> DesktopValue? {
        guard g_variant_is_container(handle) != 0, index >= 0, UInt(index) < g_variant_n_children(handle)
        else {
            return nil
        }
        return DesktopValue(owning: g_variant_get_child_value(handle, UInt(index))).unpacked
    }

    /// An entry of a dictionary from words to variants; `nil` where there is none.
    subscript(key: String) -> DesktopValue? {
        guard kind == "a{sv}" else { return nil }
        return g_variant_lookup_value(handle, key, nil).map { DesktopValue(owning: $0) }
    }

    private var unpacked: DesktopValue {
        kind == "v" ? DesktopValue(owning: g_variant_get_variant(handle)) : self
    }

    /// The number that it is; `nil` for anything else than a uint32.
    var number: UInt32? { kind == "u" ? g_variant_get_uint32(handle) : nil }

    /// The text or path that it is; `nil` for anything else.
    var text: String? {
        ["s", "o"].contains(kind) ? g_variant_get_string(handle, nil).map { String(cString: $0) } : nil
    }

    /// A text as GVariant's text format has it, quoted.
    static func quoted(_ text: String) -> String {
        let value = DesktopValue(owning: g_variant_ref_sink(g_variant_new_string(text)))
        let printed = g_variant_print(value.handle, 0)
        defer { g_free(printed) }
        return printed.map { String(cString: $0) } ?? "''"
    }
}
