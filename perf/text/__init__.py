"""How often the default text tools decide as the authors' do, and how fast they are."""
