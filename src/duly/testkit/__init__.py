"""What tests of Duly, and of your own automations, are made with."""
