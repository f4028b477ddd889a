internal import Control
internal import Media

extension DeviceControl {
    /// Most controls of a camera, and most items of a menu, that are taken from another process.
    private static let most = (controls: 32, items: 64)

    /// The controls that another process tells of, which may be anything; those that are none are left out.
    static func controls(told: [ControlsReport.Control]) -> [DeviceControl] {
        var names: Set<String> = []
        return told.prefix(most.controls).compactMap { DeviceControl($0) }.filter {
            names.insert($0.name).inserted
        }
    }

    private init?(_ told: ControlsReport.Control) {
        let isName = told.name.utf8.allSatisfy { byte in
            (97...122).contains(byte) || (48...57).contains(byte) || byte == 95
        }
        guard (1...40).contains(told.name.utf8.count), isName, let kind = Kind(rawValue: told.kind),
            told.minimum <= told.maximum, told.menu.count <= Self.most.items,
            told.menu.isEmpty || kind == .menu || kind == .integerMenu
        else { return nil }
        var menu: [Int64: String] = [:]
        for (number, text) in told.menu {
            if let number = Int64(number) { menu[number] = text.printable(limit: 100) }
        }
        guard !menu.isEmpty || (kind != .menu && kind != .integerMenu) else { return nil }
        self.init(
            name: told.name, kind: kind, value: told.value, minimum: told.minimum, maximum: told.maximum,
            step: max(told.step, 1), defaultValue: told.default, menu: menu, isReadOnly: told.read_only,
            isInactive: told.inactive, isVolatile: told.volatile)
    }
}
